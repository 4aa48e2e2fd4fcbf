#include "predict/predict_pipeline.h"

#include <algorithm>

#include "predict/collectives.h"
#include "predict/predict.h"
#include "predict/timeline.h"

namespace mtfc::predict {
namespace {

using Exchange = runtime::ExchangeSpec::Kind;

class Predictor {
 public:
  Predictor(const PipelineModule& module, const cost::PipelineCost& cost, const Machine& machine,
            const MappedStages& mapped)
      : module_(module), cost_(cost), machine_(machine), mapped_(mapped) {}

  PipelinePrediction run() {
    for (const Module& stage : module_.stages)
      found_.processors += static_cast<double>(stage.mesh.processors());
    for (const StagePart& part : module_.cut.parts) seconds_.push_back(seconds_of(part));
    passes();
    for (const StepProgram& step : module_.step)
      found_.once += static_cast<double>(step.microbatches) * once(step.program);
    found_.step = pipeline::span(found_.passes) + found_.once;
    return std::move(found_);
  }

 private:
  const StagePart& part(int number) const {
    return module_.cut.parts[static_cast<std::size_t>(number)];
  }

  const Mapping& mapping(int stage) const {
    return mapped_.stages[static_cast<std::size_t>(stage)].mapping;
  }

  /// 0 of what is no part of a step.
  double seconds_of(const StagePart& part) {
    const cost::Cost& cost = cost_.stages[static_cast<std::size_t>(part.stage)].cost;
    const auto processors = static_cast<double>(module_.module_of(part).mesh.processors());
    for (const cost::ProgramWork& work : cost.work) {
      if (work.program != part.name) continue;
      found_.peak_model += processors * model_seconds(work, machine_.chip);
      const std::vector<Timed> timed = timeline(work.instructions, machine_, mapping(part.stage));
      add_parts(timed, static_cast<double>(work.times) / module_.shape.stages);
      return timed.empty() ? 0 : timed.back().end;
    }
    return 0;
  }

  void add_parts(const std::vector<Timed>& timed, double times) {
    const Summed sum = sum_of(timed);
    found_.computing += sum.computing() * times;
    found_.exposed += sum.exposed * times;
    found_.hidden += sum.hidden() * times;
  }

  double seconds_of(const cost::StageSend& send) const {
    return send_seconds(send, part(send.from).stage, part(send.to).stage, machine_, mapped_);
  }

  void passes() {
    const pipeline::Shape& shape = module_.shape;
    std::vector<pipeline::StageTimes> times(static_cast<std::size_t>(shape.virtual_stages()));
    for (std::size_t i = 0; i < seconds_.size(); ++i) {
      const StagePart& one = module_.cut.parts[i];
      if (one.pass == StagePart::Pass::other) continue;
      pipeline::StageTimes& of = times[static_cast<std::size_t>(one.virtual_stage(shape))];
      (one.pass == StagePart::Pass::backward ? of.backward : of.forward) += seconds_[i];
    }
    std::vector<pipeline::Send> sends;
    for (const cost::StageSend& send : cost_.sends) {
      const StagePart &from = part(send.from), &to = part(send.to);
      if (from.pass == StagePart::Pass::other) continue;
      sends.push_back({from.virtual_stage(shape), from.pass == StagePart::Pass::backward,
                       to.virtual_stage(shape), to.pass == StagePart::Pass::backward,
                       seconds_of(send), send.steady});
    }
    found_.passes = pipeline::timeline(shape, times, sends);
    found_.idle = pipeline::idle_share(found_.passes, shape.stages);
  }

  /// Of a program without passes: its parts wait for their stages and for what they are sent.
  double once(const std::string& program) const {
    std::vector<double> free(module_.stages.size()), ends(seconds_.size());
    double last = 0;
    for (const int number : module_.parts_of(program)) {
      const auto at = static_cast<std::size_t>(number);
      if (part(number).pass != StagePart::Pass::other) return 0;
      double& stage = free[static_cast<std::size_t>(part(number).stage)];
      double begin = stage;
      for (const cost::StageSend& send : cost_.sends)
        if (send.to == number)
          begin = std::max(begin, ends[static_cast<std::size_t>(send.from)] + seconds_of(send));
      stage = ends[at] = begin + seconds_[at];
      last = std::max(last, ends[at]);
    }
    return last;
  }

  const PipelineModule& module_;
  const cost::PipelineCost& cost_;
  const Machine& machine_;
  const MappedStages& mapped_;
  std::vector<double> seconds_;  // by part
  PipelinePrediction found_;
};

}  // namespace

double send_seconds(const cost::StageSend& send, int from, int to, const Machine& machine,
                    const MappedStages& mapped) {
  const Mapping& receiver = mapped.stages[static_cast<std::size_t>(to)].mapping;
  return collective_seconds(Exchange::permute, std::max(send.bytes, send.received),
                            between(from, to, machine, mapped)) +
         collective_seconds(Exchange::all_gather, send.gathered_bytes,
                            group_levels(send.gathered, machine, receiver));
}

PipelinePrediction predict(const PipelineModule& module, const cost::PipelineCost& cost,
                           const Machine& machine, const MappedStages& mapped) {
  return Predictor(module, cost, machine, mapped).run();
}

}  // namespace mtfc::predict
