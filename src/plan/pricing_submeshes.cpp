// Prices of pipelines whose stages have submeshes of their own.
#include <algorithm>
#include <limits>

#include "plan/pricing.h"
#include "plan/submesh_cut.h"

namespace mtfc::plan {
namespace {

/// Of four stages with this mesh, each a neighbour of all others: on the level that so many
/// processors end on. Nothing: the mesh does not fit on the machine.
std::optional<predict::MappedStages> mapped_apart(const Mesh& mesh, std::int64_t processors,
                                                  const predict::Machine& machine) {
  const std::optional<predict::Mapping> mapping = predict::map_mesh(mesh, machine);
  if (!mapping || machine.levels.empty()) return std::nullopt;
  std::size_t top = 0;
  std::int64_t inside = 1;  // of a unit of that level
  while (top + 1 < machine.levels.size() && inside * machine.levels[top].size < processors)
    inside *= machine.levels[top++].size;
  predict::MappedStages mapped;
  predict::MappedStage stage{*mapping, {}, std::vector<std::int64_t>(mapping->size(), 0)};
  for (const predict::LevelUse& level : *mapping) {
    stage.units.push_back(level.units);
    mapped.units.push_back(level.units);
    mapped.inside.push_back(level.inside);
  }
  mapped.units[top] = std::max(mapped.units[top], (processors + inside - 1) / inside);
  mapped.inside[top] = inside;
  for (std::int64_t i = 0; i < 4; ++i) {
    stage.at[top] = i;
    mapped.stages.push_back(stage);
  }
  return mapped;
}

Price price_of(const Cut& cut) {
  Price price;
  price.step = cut.step;
  price.memory = cut.memory;
  price.variables = cut.variables;
  price.is_whole = false;
  price.short_of_memory = cut.short_of_memory;
  return price;
}

}  // namespace

const StageCosts* Pricer::costs_on(const Choice& choice, const Mesh& submesh) {
  Choice narrowed = on_submesh(choice, submesh);
  narrowed.pipeline->submeshes = false;
  narrowed.pipeline->meshes.clear();
  const auto [at, fresh] =
      on_submeshes_.try_emplace(to_string(narrowed.mesh) + ";" + description(narrowed));
  if (fresh)
    if (const auto mapped = mapped_apart(narrowed.mesh, submeshes_.processors, machine_))
      if (std::optional<StageCosts> costs = stage_costs(narrowed, *mapped))
        at->second.emplace(std::move(*costs));
  return at->second ? &*at->second : nullptr;
}

std::optional<Price> Pricer::cut_into_submeshes(const Choice& choice, double memory) {
  SubmeshProblem problem{{},
                         machine_,
                         submeshes_.processors,
                         choice.pipeline->iterations,
                         choice.microbatches,
                         submeshes_.most_stages,
                         memory};
  std::vector<Mesh> meshes;
  for (const Mesh& mesh : submeshes_.meshes)
    if (const StageCosts* costs = costs_on(uncut(choice), mesh)) {
      problem.submeshes.push_back({on_submesh(choice, mesh).mesh, costs});
      meshes.push_back(mesh);
    }
  const std::optional<SubmeshCut> found = best_cut(problem);
  if (!found) return std::nullopt;
  Price price = price_of(found->cut);
  price.computing = least_step(problem, Seconds::computing);
  price.floor = least_step(problem, Seconds::floor);
  price.least =
      found->cut.all ? price.step : std::min(price.step, least_step(problem, Seconds::all));
  price.pipeline = choice.pipeline;
  price.pipeline->stages = static_cast<int>(found->stages.size());
  price.pipeline->blocks = found->cut.blocks;
  price.pipeline->schedule = found->cut.schedule;
  price.pipeline->meshes.clear();
  for (const SubmeshStage& stage : found->stages)
    price.pipeline->meshes.push_back(meshes[stage.submesh]);
  return price;
}

std::optional<Price> Pricer::estimated_on_submeshes(const Choice& choice) {
  const Pipeline& pipeline = *choice.pipeline;
  SubmeshProblem problem{{},
                         machine_,
                         0,
                         pipeline.iterations,
                         choice.microbatches,
                         pipeline.stages,
                         std::numeric_limits<double>::infinity()};
  std::vector<SubmeshStage> stages;
  for (std::size_t i = 0; i < pipeline.meshes.size(); ++i) {
    const StageCosts* costs = costs_on(uncut(choice), pipeline.meshes[i]);
    if (!costs) return std::nullopt;
    problem.submeshes.push_back({on_submesh(choice, pipeline.meshes[i]).mesh, costs});
    stages.push_back({i, pipeline.blocks[i]});
  }
  return price_of(priced(problem, std::move(stages), pipeline.schedule).cut);
}

}  // namespace mtfc::plan
