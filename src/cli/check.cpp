// mtfc check: the model, and every layout for it.
#include <fmt/core.h>

#include <algorithm>

#include "cli/options/commands.h"
#include "cli/options/usage.h"
#include "cli/reports/symbols_json.h"
#include "cli/session/judge_layout.h"
#include "cli/session/read_model.h"
#include "cli/session/repairs.h"
#include "lowering/graph/generation/derive_generation.h"
#include "messages/wrap.h"

namespace mtfc::cli {
namespace {

using lowering::LayoutReport;

/// ", 4.90 billion" for what has too many digits to be read at a glance.
std::string in_words(std::int64_t number) {
  const auto value = static_cast<double>(number);
  if (number >= 100'000'000) return fmt::format(", {:.2f} billion", value / 1e9);
  if (number >= 1'000'000) return fmt::format(", {:.2f} million", value / 1e6);
  return "";
}

/// "mnist.mtf: 2 inputs, 6 parameters (669,706 elements)"
std::string model_line(const Model& model) {
  const auto parameters = std::count_if(
      model.variables.begin(), model.variables.end(),
      [](const Variable& variable) { return variable.kind == Variable::Kind::parameter; });
  const std::int64_t elements = lowering::parameter_elements(model);
  return model.path + ": " + counted(model.inputs.size(), "input") + ", " +
         counted(parameters, "parameter") + " (" + with_commas(elements) + " elements" +
         in_words(elements) + ")";
}

std::string json_mesh(const Mesh& mesh) {
  JsonFields axes;
  for (const MeshAxis& axis : mesh.axes) axes.emplace_back(axis.name, json(axis.size));
  return json_object(axes);
}

std::string json_report(const LayoutReport& report, const SourceMap& sources) {
  JsonFields fields = {{"file", json(report.file)},
                       {"ok", json(report.ok)},
                       {"read", json(report.read)},
                       {"mesh", json_mesh(report.mesh)},
                       {"processors", json(report.processors)}};
  if (report.assignment && !report.assignment->stage_meshes.empty()) {
    std::vector<std::string> meshes;
    for (const Mesh& mesh : report.assignment->stage_meshes) meshes.push_back(json_mesh(mesh));
    fields.emplace_back("stage_meshes", json_array(meshes));
  }
  fields.emplace_back("diagnostics", json_diagnostics(report.diagnostics, sources));
  return json_object(fields);
}

/// What to judge: the files named, else --rules and --mesh if there are any.
std::vector<std::string> layouts_to_check(const Options& options) {
  if (options.layouts.empty() && (options.rules || options.mesh)) return {""};
  return options.layouts;
}

/// With what `--symbols` asks for.
int finish(Session& session, int status, JsonFields fields) {
  if (session.options.symbols && session.model_file)
    fields.emplace_back("symbols", symbols_json(read_symbols(session), session.sources));
  return session.finish(status, std::move(fields));
}

}  // namespace

int check(Session& session) {
  int status = exit_done;
  if (refuses_rules(session, status)) return status;
  if (session.options.fix && session.options.model == "-")
    return session.usage_error("`--fix` repairs files, and the model is standard input",
                               "name a file: `mtfc check FILE.mtf --fix`");
  if (session.options.symbols && !session.options.json)
    return session.usage_error("`--symbols` belongs to `--json`");
  if (session.options.fix && !repair_files(session)) return session.finish(exit_failed);
  const std::optional<Model> model = read_model(session, {}, status);
  if (!model) return finish(session, status, {{"layouts", "[]"}});
  lowering::check_generation(*model, session.diagnostics);
  session.flush();
  int worst = exit_done;
  bool warned = false;
  std::vector<LayoutReport> reports;
  std::vector<std::string> rows;
  for (const std::string& path : layouts_to_check(session.options)) {
    const LayoutReport& report = reports.emplace_back(judge_layout(session, *model, path, status));
    if (!report.ok) worst = std::max(worst, status);
    warned = warned || report.diagnostics.warnings() > 0;
    session.print(report.diagnostics);
    rows.push_back(json_report(report, session.sources));
  }
  for (const std::string& note : model->notes) session.note(note);
  if (model->inputs.empty() && model->variables.empty() && model->eval.values.empty())
    session.note(model->path + " defines nothing");
  session.print(wrapped(model_line(*model), {0, 2, output_columns()}) + "\n");
  if (!reports.empty()) session.print("\n" + lowering::summary_table(reports, output_columns()));
  if (worst == exit_done && session.options.strict && warned) worst = exit_invalid;
  return finish(
      session, worst,
      {{"parameters", json(lowering::parameter_elements(*model))}, {"layouts", json_array(rows)}});
}

}  // namespace mtfc::cli
