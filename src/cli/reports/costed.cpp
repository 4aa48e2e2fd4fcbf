#include "cli/reports/costed.h"

#include "cli/session/mesh_text.h"
#include "cost/all_stages.h"
#include "cost/beside_step.h"
#include "cost/evaluates.h"
#include "lowering/pipeline.h"
#include "support/program_names.h"

namespace mtfc::cli {

std::optional<Costed> costed(Session& session, const Module& module, const cost::Detail& detail) {
  if (counted_programs(module).empty()) {
    session.report(diag(DiagKind::wrong_usage, "the model computes nothing"));
    return std::nullopt;
  }
  return Costed{
      module.mesh, cost::cost_of_step(module, session.sources, detail), !module.step.empty(), {}};
}

std::optional<Costed> costed_run(Session& session, const Model& model, const Module& module,
                                 const cost::Detail& detail) {
  std::optional<Costed> found = costed(session, module, detail);
  if (found) cost::count_beside_step(module, session.sources, cost::evaluates(model), found->cost);
  return found;
}

std::int64_t processors(const Costed& costed) {
  return costed.pipeline ? costed.pipeline->processors() : costed.mesh.processors();
}

std::string mesh_text(const Costed& costed) {
  return costed.pipeline ? costed.pipeline->meshes : mesh_text(costed.mesh);
}

cost::Cost cost_of_all(const Costed& costed) {
  return costed.pipeline ? costed.cost : cost::of_all_processors(costed.cost);
}

std::optional<Costed> costed(Session& session, const Model& model, const Assignment& assignment,
                             const std::vector<Hardware>& hardware, int& status) {
  status = exit_usage;
  if (!assignment.stages) return costed(session, lowering::lower(model, assignment, {}));
  std::optional<CostedPipeline> found = cost_pipeline(session, model, assignment, hardware, status);
  if (!found) return std::nullopt;
  cost::Cost all = cost::of_all_processors(found->module, found->cost);
  return Costed{assignment.mesh, std::move(all), true, std::move(found)};
}

std::optional<Costed> costed(Session& session, const Model& model, const std::string& path,
                             const ChangeLayout& change, int& status) {
  const lowering::LayoutReport report = judge_layout(session, model, path, status, change);
  session.report(report.diagnostics);
  if (!report.assignment) return std::nullopt;
  session.flush();
  return costed(session, model, *report.assignment, report.hardware, status);
}

}  // namespace mtfc::cli
