#include "cli/reports/costed_pipeline.h"

#include <numeric>

#include "cli/session/mesh_text.h"
#include "cli/session/programs.h"
#include "cost/beside_step.h"
#include "cost/evaluates.h"
#include "ir/stage_meshes.h"

namespace mtfc::cli {
namespace {

JsonFields stage_json(const CostedPipeline& costed, std::size_t stage) {
  const cost::StageCost& one = costed.cost.stages[stage];
  JsonFields fields = {
      {"blocks", json(costed.blocks(stage))},
      {"processors", json(costed.module.stages[stage].mesh.processors())},
      {"parameters", json(one.parameters)},
      {"forward_flops", json(one.forward_flops)},
      {"backward_flops", json(one.backward_flops)},
      {"flops_per_processor", json(one.cost.flops_per_processor)},
      {"sent_to_stages", json(costed.cost.sent(costed.module, static_cast<int>(stage)))},
      {"sent_in_stage", json(one.cost.sent_per_processor())},
      {"in_flight", json(one.in_flight)},
      {"held_bytes",
       json(std::accumulate(one.held_bytes.begin(), one.held_bytes.end(), std::int64_t{0}))},
      {"most_held_bytes", json(one.most_held_bytes)},
      {"memory", json(one.memory())},
      {"first_values_memory", json(one.cost.first_values_bytes)},
      {"evaluation_memory", json(one.cost.evaluation_bytes)}};
  if (costed.mapped)
    fields.emplace_back("begins",
                        json(predict::begin_text(costed.mapped->stages[stage], *costed.machine)));
  return fields;
}

/// The machine that is named, if any, and where the stages lie on it. False: reported.
bool find_mapping(Session& session, const Assignment& assignment,
                  const std::vector<Hardware>& hardware, CostedPipeline& found, int& status) {
  const std::optional<Hardware> chosen = chosen_hardware(session, hardware, status);
  if (!chosen) return status == exit_done;
  const std::vector<Mesh> meshes = meshes_of(assignment);
  const Mesh all =
      predict::mesh_of_stages(widest(meshes), static_cast<std::int64_t>(meshes.size()));
  Diagnostics said;
  found.machine = machine_of(session.sources, *chosen, all, said);
  if (found.machine) found.mapped = predict::map_stages(meshes, *found.machine);
  if (found.machine && !found.mapped)
    said.report(too_small(chosen->span, *found.machine,
                          assignment.stage_meshes.empty()
                              ? "mesh " + to_string(all)
                              : "a pipeline of stages of meshes " + to_string(meshes)));
  session.report(said);
  if (!found.mapped) status = exit_invalid;
  if (found.mapped) found.where = predict::to_string(meshes, *found.machine, *found.mapped);
  return found.mapped.has_value();
}

}  // namespace

std::int64_t CostedPipeline::processors() const {
  std::int64_t sum = 0;
  for (const Module& stage : module.stages) sum += stage.mesh.processors();
  return sum;
}

bool CostedPipeline::fits() const {
  return static_cast<double>(cost.most_memory_of_run().bytes) <= machine->chip.memory;
}

double CostedPipeline::sent(std::size_t stage) const {
  return static_cast<double>(cost.stages[stage].cost.sent_per_processor()) +
         cost.sent(module, static_cast<int>(stage));
}

std::int64_t CostedPipeline::blocks(std::size_t stage) const {
  std::int64_t count = 0;
  for (const auto& [block, at] : stages.blocks)
    count += stages.stage_of(at) == static_cast<int>(stage) ? 1 : 0;
  return count;
}

std::vector<pipeline::TimedTask> CostedPipeline::passes() const {
  return prediction ? prediction->passes : pipeline::timeline(module.shape, cost.pass_flops, {});
}

JsonFields CostedPipeline::fields() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < cost.stages.size(); ++i)
    all.push_back(json_object(stage_json(*this, i)));
  return {{"schedule", json(name(module.shape.schedule))},
          {"chunks", json(std::int64_t{module.shape.chunks})},
          {"microbatches", json(module.shape.microbatches)},
          {"processors", json(processors())},
          {"memory", json_object({{"per_processor", json(cost.most_memory())}})},
          {"run_memory", json_object({{"per_processor", json(cost.most_memory_of_run().bytes)}})},
          {"stages", json_array(all)},
          {"waiting", json(pipeline::idle_share(passes(), module.shape.stages))}};
}

std::optional<CostedPipeline> cost_pipeline(Session& session, const Model& model,
                                            const Assignment& assignment,
                                            const std::vector<Hardware>& hardware, int& status) {
  CostedPipeline found{*assignment.stages, {}, {}, mesh_text(assignment), {}, {}, {}, {}};
  status = exit_done;
  if (!find_mapping(session, assignment, hardware, found, status)) return std::nullopt;
  std::optional<Programs> programs = programs_for(session, model, assignment, {}, status);
  if (!programs) return std::nullopt;
  found.module = std::move(*programs->pipeline);
  if (found.module.step.empty()) {
    status = exit_usage;
    session.report(
        diag(DiagKind::wrong_usage, "the model has no loss, so that no stage has a backward pass")
            .help("add `loss E`, or take the `pipeline` out of the layout"));
    return std::nullopt;
  }
  found.cost = cost::cost_of_pipeline(
      found.module, session.sources, found.machine ? found.machine->chip.detail() : cost::Detail{});
  cost::count_beside_step(found.module, session.sources, cost::evaluates(model), found.cost);
  if (found.machine)
    found.prediction = predict::predict(found.module, found.cost, *found.machine, *found.mapped);
  return found;
}

}  // namespace mtfc::cli
