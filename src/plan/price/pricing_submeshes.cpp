// Prices of pipelines whose stages are cut by a dynamic program: those with submeshes of their own,
// and those of blocks that are not alike.
#include <algorithm>
#include <limits>

#include "plan/price/pricing.h"
#include "plan/price/unlike_costs.h"
#include "support/rounding.h"

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
  mapped.units[top] = std::max(mapped.units[top], ceil_div(processors, inside));
  mapped.inside[top] = inside;
  for (std::int64_t i = 0; i < 4; ++i) {
    stage.at[top] = i;
    mapped.stages.push_back(stage);
  }
  return mapped;
}

}  // namespace

std::unique_ptr<BlockCosts> Pricer::block_costs(const Choice& choice,
                                                const predict::MappedStages& mapped) {
  const Chain& chain = choice.pipeline->chain;
  if (chain.is_priced_by_iterations()) {
    std::optional<StageCosts> costs = stage_costs(choice, mapped);
    return costs ? std::make_unique<AlikeCosts>(std::move(*costs), chain.blocks) : nullptr;
  }
  const Model* model = models_.find(choice.microbatches);
  if (!model) return nullptr;
  const auto compile = [&](const std::vector<std::int64_t>& cut) {
    Choice one = choice;
    one.pipeline->blocks = cut;
    one.pipeline->stages = static_cast<int>(cut.size());
    return compiler_.compile_pipeline(one, *model, false);
  };
  return UnlikeCosts::of(chain.blocks, compile, examples_.of(choice), machine_, mapped);
}

const BlockCosts* Pricer::costs_on(const Choice& choice, const Mesh& submesh) {
  Choice narrowed = on_submesh(choice, submesh);
  narrowed.pipeline->submeshes = false;
  narrowed.pipeline->meshes.clear();
  const auto [at, fresh] =
      on_submeshes_.try_emplace(to_string(narrowed.mesh) + ";" + description(narrowed));
  if (fresh)
    if (const auto mapped = mapped_apart(narrowed.mesh, submeshes_.processors, machine_))
      at->second = block_costs(narrowed, *mapped);
  return at->second.get();
}

std::optional<Price> Pricer::cut_into_submeshes(const Choice& choice, double memory) {
  SubmeshProblem problem{{},
                         machine_,
                         submeshes_.processors,
                         choice.pipeline->chain.blocks,
                         choice.microbatches,
                         submeshes_.most_stages,
                         memory};
  std::vector<Mesh> meshes;
  for (const Mesh& mesh : submeshes_.meshes)
    if (const BlockCosts* costs = costs_on(uncut(choice), mesh)) {
      problem.submeshes.push_back({on_submesh(choice, mesh).mesh, costs});
      meshes.push_back(mesh);
    }
  return best_cut_of(std::move(problem), choice, meshes);
}

/// Stages of one mesh, of blocks that are not alike, or that no smaller model has.
std::optional<Price> Pricer::cut_block_by_block(const Choice& choice, double memory) {
  const Pipeline& pipeline = *choice.pipeline;
  const auto mapped = mapped_stages(choice, machine_);
  const auto costs = mapped ? block_costs(choice, *mapped) : nullptr;
  if (!costs) return std::nullopt;
  std::optional<Price> found = best_cut_of({{{choice.mesh, costs.get()}},
                                            machine_,
                                            choice.mesh.processors() * pipeline.stages,
                                            pipeline.chain.blocks,
                                            choice.microbatches,
                                            pipeline.stages,
                                            memory},
                                           choice, {});
  if (found) add_interleaved(choice, memory, *found);
  return found;
}

/// `meshes`: of the submeshes; none where stages have one mesh.
std::optional<Price> Pricer::best_cut_of(SubmeshProblem problem, const Choice& choice,
                                         const std::vector<Mesh>& meshes) {
  problem.margin =
      margin_of(choice, std::any_of(problem.submeshes.begin(), problem.submeshes.end(),
                                    [](const Submesh& one) { return one.costs->reaches_over(); }));
  const std::optional<Cuts<SubmeshCut>> cuts = best_cuts(problem);
  if (!cuts) return std::nullopt;
  return with_near(problem, *cuts, *choice.pipeline,
                   [&](Pipeline& pipeline, const SubmeshCut& found) {
                     pipeline.stages = static_cast<int>(found.stages.size());
                     pipeline.meshes.clear();
                     if (meshes.empty()) return;
                     for (const SubmeshStage& stage : found.stages)
                       pipeline.meshes.push_back(meshes[stage.submesh]);
                   });
}

std::optional<Price> Pricer::estimated_on_submeshes(const Choice& choice) {
  const Pipeline& pipeline = *choice.pipeline;
  SubmeshProblem problem{{},
                         machine_,
                         0,
                         pipeline.chain.blocks,
                         choice.microbatches,
                         pipeline.stages,
                         std::numeric_limits<double>::infinity()};
  std::vector<SubmeshStage> stages;
  for (std::size_t i = 0; i < pipeline.meshes.size(); ++i) {
    const BlockCosts* costs = costs_on(uncut(choice), pipeline.meshes[i]);
    if (!costs) return std::nullopt;
    problem.submeshes.push_back({on_submesh(choice, pipeline.meshes[i]).mesh, costs});
    stages.push_back({i, pipeline.blocks[i]});
  }
  return price_of(priced(problem, std::move(stages), pipeline.schedule).cut);
}

}  // namespace mtfc::plan
