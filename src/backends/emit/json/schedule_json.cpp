#include "backends/emit/json/schedule_json.h"

#include "pipeline/step_order.h"
#include "support/program_names.h"

namespace mtfc::backends {
namespace {

/// Names of programs as they are there to run: of a pipeline, parts.
class Programs {
 public:
  Programs(const Module& module, const PipelineModule* pipeline)
      : module_(module), pipeline_(pipeline) {}

  /// Of one program, or part.
  std::vector<std::string> of(const std::string& name) const {
    std::vector<std::string> names;
    if (!pipeline_ && module_.find(name)) names.push_back(name);
    if (pipeline_)
      for (const StagePart& part : pipeline_->cut.parts)
        if (part.name == name || part.program == name) names.push_back(part.name);
    return names;
  }
  Json step() const {
    Json all = Json::array();
    for (const StepProgram& s : pipeline_ ? pipeline::step_order(*pipeline_) : module_.step)
      for (const std::string& name : of(s.program)) {
        all.push_back({{"program", name}, {"microbatches", s.microbatches}});
        if (s.only >= 0) all.back()["microbatch"] = s.only;
      }
    return all;
  }

 private:
  const Module& module_;
  const PipelineModule* pipeline_;
};

}  // namespace

Json schedule_json(const Module& module, const PipelineModule* pipeline,
                   const runtime::TrainPlan* plan) {
  const Programs programs(module, pipeline);
  Json schedule = {{"once", programs.of(program_names::init)},
                   {"each_step", programs.step()},
                   {"evaluation",
                    {{"begin", programs.of(program_names::eval_begin)},
                     {"each_batch", programs.of(program_names::eval)},
                     {"end", programs.of(program_names::eval_finish)}}},
                   {"on_request", programs.of(program_names::run)}};
  if (plan) {
    schedule["evaluation"]["microbatches"] = plan->evaluation_microbatches;
    schedule["steps"] = plan->steps;
    schedule["epochs"] = plan->epochs;
    schedule["eval_every"] = plan->eval_every;
    schedule["checkpoint_every"] = plan->checkpoint_every;
    schedule["keep"] = plan->keep;
    schedule["checkpoint"] = name(plan->checkpoint);
    schedule["on_nan"] = name(plan->on_nan);
    schedule["seed"] = plan->seed;
  }
  return schedule;
}

Json pipeline_json(const PipelineModule& pipeline) {
  const auto part_name = [&](int part) {
    return pipeline.cut.parts[static_cast<std::size_t>(part)].name;
  };
  Json parts = Json::array(), crossings = Json::array();
  for (const StagePart& part : pipeline.cut.parts)
    parts.push_back({{"name", part.name},
                     {"program", part.program},
                     {"stage", part.stage},
                     {"chunk", part.chunk},
                     {"pass", name(part.pass)}});
  for (const Crossing& crossing : pipeline.cut.crossings) {
    Json to = Json::array();
    for (const int part : crossing.to) to.push_back(part_name(part));
    crossings.push_back({{"variable", crossing.variable},
                         {"from", part_name(crossing.from)},
                         {"to", std::move(to)},
                         {"steady", crossing.steady}});
  }
  return {{"stages", pipeline.shape.stages},
          {"chunks", pipeline.shape.chunks},
          {"schedule", mtfc::name(pipeline.shape.schedule)},
          {"microbatches", pipeline.shape.microbatches},
          {"parts", std::move(parts)},
          {"crossings", std::move(crossings)}};
}

}  // namespace mtfc::backends
