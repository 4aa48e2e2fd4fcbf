#include "cli/session/compile.h"

#include "cli/session/read_model.h"

namespace mtfc::cli {

std::optional<Compiled> compile(Session& session, const lowering::Request& request, int& status) {
  std::optional<Model> model = read_model(session, request, status);
  if (!model) return std::nullopt;
  const std::string path = session.options.layouts.empty() ? "" : session.options.layouts.front();
  lowering::LayoutReport report = judge_layout(session, *model, path, status);
  session.report(report.diagnostics);
  session.flush();
  if (!report.assignment && session.options.runs_layout)
    session.note("the layout is the run's own; --layout FILE or --rules RULES give another");
  if (!report.assignment) return std::nullopt;
  return Compiled{std::move(*model), std::move(*report.assignment), std::move(report.hardware),
                  std::move(report.settings)};
}

}  // namespace mtfc::cli
