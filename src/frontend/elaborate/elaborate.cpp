#include "frontend/elaborate/elaborate.h"

#include "frontend/elaborate/elaborator.h"
#include "frontend/elaborate/setting_table.h"
#include "frontend/syntax/parse.h"
#include "support/render.h"

namespace mtfc {

namespace {

using namespace elab;

/// The only expression of a parsed fragment.
ast::ExprId value_of(const ast::File& fragment) {
  return std::get<ast::Assign>(fragment.at(fragment.body[0]).node).value;
}

/// Registers and parses -D or --set entries. Text that is no expression stays text for --set.
void read_overrides(Session& session, const std::string& option,
                    const std::vector<std::pair<std::string, std::string>>& entries,
                    std::deque<Override>& into, Diagnostics& complaints) {
  for (const auto& [key, text] : entries) {
    Override& over = into.emplace_back();
    over.key = key;
    over.text = text;
    over.file = session.sources.add(option + " " + key, text);
    over.tree = parse_expression(session.sources, over.file, complaints);
    if (over.tree) over.value = value_of(*over.tree);
  }
}

void report_unused(Session& session, const Override& over, DiagKind kind,
                   const std::string& message, const std::vector<std::string>& candidates) {
  Diagnostic d =
      diag(kind, message).at({over.file, 0, static_cast<std::uint32_t>(over.text.size())});
  const auto near = did_you_mean(over.key, candidates);
  if (!near.empty()) d.helps.push_back("did you mean `" + near[0] + "`?");
  session.diagnostics.report(std::move(d));
}

/// A -D or --set that changed nothing is a mistake.
void check_overrides(Session& session) {
  std::vector<std::string> sizes, keys;
  for (const Dim& dim : session.model.dims.all())
    if (dim.scope.empty() && dim.name.back() != '\'') sizes.push_back(dim.name);
  for (const std::string& key : train_keys()) keys.push_back("train." + key);
  for (const DataSource& source : session.model.sources) keys.push_back("data." + source.name);
  for (const Override& over : session.defines)
    if (!over.used && session.define(over.key) == &over)
      report_unused(session, over, DiagKind::unknown_name,
                    "-D " + over.key + ": the model has no dimension or constant of that name",
                    sizes);
  for (const Override& over : session.settings)
    if (!over.used && session.setting(over.key) == &over)
      report_unused(session, over, DiagKind::wrong_setting,
                    "--set " + over.key + ": there is no such setting", keys);
}

void warn_unused_parameters(Session& session) {
  for (std::size_t i = 0; i < session.model.variables.size(); ++i) {
    const Variable& v = session.model.variables[i];
    const VariableId id{static_cast<std::int32_t>(i)};
    if (v.kind != Variable::Kind::parameter || session.used_variables.count(id)) continue;
    session.diagnostics.report(
        diag(DiagKind::unused_parameter, "parameter `" + v.path + "` is never used")
            .at(v.declared)
            .help("remove it, or use it"));
  }
}

}  // namespace

std::optional<Model> elaborate(SourceMap& sources, FileId model, const ElaborateOptions& options,
                               Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.errors();
  Model result;
  result.path = sources.path(model);
  result.init.name = "init";
  result.train.name = "train";
  result.eval.name = "eval";
  Session session(sources, diagnostics, result);
  Diagnostics quiet;
  read_overrides(session, "-D", options.defines, session.defines, diagnostics);
  read_overrides(session, "--set", options.settings, session.settings, quiet);
  bool fine = load_files(session, model);
  for (const Override& over : session.defines) fine = fine && over.tree;
  if (!fine) return std::nullopt;

  Elaborator train(session, true, result.train);
  train.read_early_settings();
  train.run();
  Elaborator eval(session, false, result.eval);
  eval.run();
  if (diagnostics.errors() == errors_before) {
    check_overrides(session);
    apply_globs(session);
    warn_unused_parameters(session);
  }
  if (diagnostics.errors() > errors_before) return std::nullopt;
  return result;
}

}  // namespace mtfc
