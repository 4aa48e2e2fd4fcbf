#include "cli/session/judge_layout.h"

#include "cli/session/file_kind.h"
#include "cli/session/judge_pipeline.h"
#include "cli/session/target.h"
#include "frontend/layout/parse_layout.h"
#include "support/text.h"

namespace mtfc::cli {
namespace {

/// A model in place of a layout: reported.
bool is_model(Session& session, FileId file) {
  const std::string& path = session.sources.path(file);
  if (kind_of(path, session.sources.text(file)) != FileKind::model) return false;
  session.report(diag(DiagKind::wrong_usage, backquoted(path) + " is a model, not a layout")
                     .help("`mtfc " + session.options.command + " " + path + "`"));
  return true;
}

std::optional<Layout> read_layout(Session& session, const std::string& path, Diagnostics& found,
                                  int& status) {
  if (!path.empty()) {
    // What is wrong with a file's name belongs to the command, not to one of its layouts.
    const std::optional<FileId> file = session.read(path);
    if (!file || is_model(session, *file)) {
      status = exit_usage;
      return std::nullopt;
    }
    return parse_layout(session.sources, *file, found);
  }
  if (!session.options.rules) return Layout{};
  const FileId file = session.add_fragment("--rules", *session.options.rules);
  return parse_layout(session.sources, file, found);
}

/// With --strict, every rule must divide.
void forbid_padding(Layout& layout) {
  for (LayoutRule& rule : layout.rules) rule.must_divide = true;
  for (LayoutScope& scope : layout.scopes)
    for (LayoutRule& rule : scope.rules) rule.must_divide = true;
}

/// Of a layout that is not looked at further.
lowering::LayoutReport nothing_of(const std::string& name, Diagnostics found) {
  return {name, false, true, {}, 0, 0, std::move(found), {}, std::nullopt, {}};
}

}  // namespace

bool refuses_rules(Session& session, int& status) {
  if (!session.options.rules || session.options.layouts.empty()) return false;
  status = session.usage_error("`--rules` cannot be combined with a layout file");
  return true;
}

void check_hardware(SourceMap& sources, lowering::LayoutReport& report) {
  constexpr int enough = 20;  // further mistakes help nobody
  int wrong = 0;
  for (const Hardware& hardware : report.hardware)
    if (wrong < enough && !target_of(sources, hardware, report.mesh, report.diagnostics)) ++wrong;
  if (wrong == 0) return;
  report.ok = false;
  report.assignment.reset();
}

lowering::LayoutReport judge_layout(Session& session, const Model& model,
                                    const std::string& layout_path, int& status,
                                    const ChangeLayout& change, const ChangeMesh& change_mesh) {
  status = exit_invalid;
  const std::string name = layout_path.empty() ? "--rules" : layout_path;
  Diagnostics found;
  std::optional<Layout> layout = read_layout(session, layout_path, found, status);
  if (layout && session.options.strict) forbid_padding(*layout);
  if (layout && change) change(*layout);
  std::optional<Mesh> mesh;
  if (session.options.mesh) {
    const FileId file = session.add_fragment("--mesh", *session.options.mesh);
    mesh = parse_mesh(session.sources, file, found);
    // Whatever the layout's own mesh is, it is not the one that was asked for.
    if (!mesh) return nothing_of(name, std::move(found));
  }
  if (change_mesh && mesh)
    change_mesh(*mesh);
  else if (change_mesh && layout && layout->mesh)
    change_mesh(*layout->mesh);
  // Without stages there need be no micro-batches.
  std::optional<Model> in_two;
  if (layout && layout->pipeline && model.settings.microbatches < 2 &&
      runs_on_one_stage(session.options)) {
    in_two = model;
    in_two->settings.microbatches = 2;
  }
  lowering::LayoutReport report = lowering::check_layout(name, layout, std::move(found), mesh,
                                                         in_two ? *in_two : model, session.sources);
  check_hardware(session.sources, report);
  judge_pipeline(session, report);
  return report;
}

}  // namespace mtfc::cli
