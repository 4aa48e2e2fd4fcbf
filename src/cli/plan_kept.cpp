#include "cli/plan_kept.h"

#include "layout/assignment.h"
#include "layout/stages.h"
#include "plan/chain.h"

namespace mtfc::cli {

std::optional<plan::Pipeline> kept_pipeline(Session& session, const Layout& layout,
                                            const std::optional<Mesh>& mesh,
                                            const plan::Models& models,
                                            const std::vector<std::int64_t>& microbatches) {
  Layout stages;  // whatever else it says was judged
  stages.mesh = mesh.value_or(Mesh{});
  stages.pipeline = layout.pipeline;
  // The more micro-batches, the more schedules go with them.
  const Model* model = models.find(microbatches.back());
  if (model == nullptr) model = models.find(microbatches.front());
  Diagnostics said;
  const std::optional<Assignment> found =
      lowering::resolve(stages, std::nullopt, *model, session.sources, said);
  for (const Diagnostic& diagnostic : said.all())
    if (diagnostic.severity() == Severity::error) session.report(diagnostic);
  if (!found || !found->stages) return std::nullopt;
  plan::Pipeline kept;
  const plan::Chain repeated = plan::chain_of(*model);
  kept.chain = {layout.pipeline->globs, static_cast<std::int64_t>(found->stages->blocks.size()),
                false};
  if (repeated.alike && repeated.globs == kept.chain.globs) kept.chain = repeated;
  kept.stages = found->stages->count;
  kept.schedule = found->stages->schedule;
  kept.chunks = found->stages->chunks;
  kept.meshes = found->stage_meshes;
  kept.given = true;
  return kept;
}

std::int64_t processors_of(const plan::Pipeline& pipeline, const Mesh& mesh) {
  if (pipeline.meshes.empty()) return pipeline.stages * mesh.processors();
  std::int64_t sum = 0;
  for (const Mesh& one : pipeline.meshes) sum += one.processors();
  return sum;
}

}  // namespace mtfc::cli
