#include "cli/costed_pipeline.h"

#include <numeric>

#include "cli/programs.h"
#include "ir/stage_meshes.h"

namespace mtfc::cli {
namespace {

JsonFields stage_json(const CostedPipeline& costed, std::size_t stage) {
  const backends::StageCost& one = costed.cost.stages[stage];
  return {{"blocks", json(costed.blocks(stage))},
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
          {"memory", json(one.memory())}};
}

/// How each stage lies on the machine, if one is named; `target`: that of the first, with the axis
/// of the stages. A stage whose mesh is its own lies there as if all had that mesh. Nothing:
/// reported.
std::optional<std::vector<predict::Mapping>> mappings_of_stages(
    Session& session, const Assignment& assignment, const std::vector<Hardware>& hardware,
    std::optional<Target>& target, int& status) {
  std::vector<predict::Mapping> mappings;
  for (const Mesh& mesh : meshes_of(assignment)) {
    if (!mappings.empty() && assignment.stage_meshes.empty()) {
      mappings.push_back(mappings.front());
      continue;
    }
    const std::int64_t stages = predict::stages_like(mesh, processors_of(assignment));
    std::optional<Target> found =
        find_target(session, hardware, predict::mesh_of_stages(mesh, stages), status);
    if (status != exit_done) return std::nullopt;
    if (!found) break;
    mappings.push_back(predict::mapping_of_stage(found->mapping, mesh.axes.size()));
    if (!target) target = std::move(found);
  }
  return mappings;
}

}  // namespace

std::int64_t CostedPipeline::processors() const {
  std::int64_t sum = 0;
  for (const Module& stage : module.stages) sum += stage.mesh.processors();
  return sum;
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
          {"stages", json_array(all)},
          {"waiting", json(pipeline::idle_share(passes(), module.shape.stages))}};
}

std::optional<CostedPipeline> cost_pipeline(Session& session, const Model& model,
                                            const Assignment& assignment,
                                            const std::vector<Hardware>& hardware, int& status) {
  CostedPipeline found{*assignment.stages, {}, {}, mesh_text(assignment), {}, {}};
  status = exit_done;
  const auto mappings = mappings_of_stages(session, assignment, hardware, found.target, status);
  if (!mappings) return std::nullopt;
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
  found.cost = backends::cost_of_pipeline(
      found.module, session.sources,
      found.target ? found.target->machine.chip.detail() : backends::Detail{});
  if (found.target)
    found.prediction = predict::predict(found.module, found.cost, found.target->machine, *mappings);
  return found;
}

}  // namespace mtfc::cli
