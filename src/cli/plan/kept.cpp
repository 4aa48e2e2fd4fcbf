#include "cli/plan/kept.h"

#include "layout/check_summary.h"
#include "plan/space/chain.h"

namespace mtfc::cli {

std::optional<plan::Pipeline> kept_pipeline(Session& session, const Layout& layout,
                                            const std::optional<Mesh>& mesh,
                                            const plan::Models& models,
                                            const std::vector<std::int64_t>& microbatches) {
  Layout whole = layout;
  whole.mesh = mesh.value_or(Mesh{});
  // The more micro-batches, the more schedules go with them.
  const Model* model = models.find(microbatches.back());
  if (model == nullptr) model = models.find(microbatches.front());
  const lowering::LayoutReport report = lowering::check_layout(
      session.options.plan.keep, whole, {}, std::nullopt, *model, session.sources);
  for (const Diagnostic& diagnostic : report.diagnostics.all())
    if (diagnostic.severity() == Severity::error) session.report(diagnostic);
  const std::optional<Assignment>& found = report.assignment;
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
  plan::Choice choice{mesh};
  choice.pipeline = pipeline;
  std::int64_t sum = 0;
  for (const Mesh& one : plan::meshes_of(choice)) sum += one.processors();
  return sum;
}

}  // namespace mtfc::cli
