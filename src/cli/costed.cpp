#include "cli/costed.h"

#include "support/program_names.h"

namespace mtfc::cli {

std::optional<Costed> costed(Session& session, const Module& module,
                             const backends::Detail& detail) {
  const Program* run = module.find(program_names::run);
  const bool step = !module.step.empty();
  if (!step && run == nullptr) {
    session.report(diag(DiagKind::wrong_usage, "the model computes nothing"));
    return std::nullopt;
  }
  return Costed{module.mesh,
                step ? backends::cost_of_step(module, session.sources, detail)
                     : backends::cost_of(module, *run, session.sources, detail),
                step};
}

std::optional<Costed> costed(Session& session, const Model& model, const std::string& path,
                             const ChangeLayout& change, int& status) {
  lowering::LayoutReport report = judge_layout(session, model, path, status, change);
  for (const Diagnostic& diagnostic : report.diagnostics.all()) session.report(diagnostic);
  if (!report.assignment) return std::nullopt;
  session.flush();
  status = exit_usage;
  return costed(session, lowering::lower(model, *report.assignment, {}));
}

}  // namespace mtfc::cli
