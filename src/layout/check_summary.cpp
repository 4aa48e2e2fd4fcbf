#include "layout/check_summary.h"

#include <algorithm>
#include <map>

#include "ir/stage_meshes.h"
#include "layout/assign.h"
#include "layout/assignment.h"
#include "layout/legality.h"
#include "layout/stages.h"
#include "layout/uneven.h"
#include "layout/unused.h"
#include "messages/display.h"
#include "messages/table.h"
#include "support/text.h"

namespace mtfc::lowering {
namespace {

std::string verdict(const LayoutReport& report) {
  const std::size_t warnings = report.diagnostics.warnings();
  if (!report.read) return "not read";
  if (!report.ok) return counted(report.diagnostics.errors(), "error");
  return warnings == 0 ? "ok" : "ok, " + counted(warnings, "warning");
}

}  // namespace

std::int64_t parameter_elements(const Model& model) {
  return parameter_elements(model, Assignment{});
}

std::int64_t parameter_elements(const Model& model, const Assignment& assignment) {
  std::map<DimId, std::int64_t> padded;
  for (const Uneven& u : uneven_dims(model.dims, model.variables, assignment))
    padded[u.dim] = u.size;
  std::map<std::string, int> stage;  // of a pipeline, by path
  if (assignment.stages) stage = homes_of(model, *assignment.stages);
  std::map<int, std::int64_t> total{{0, 0}};  // by stage
  for (const Variable& variable : model.variables) {
    if (variable.kind != Variable::Kind::parameter) continue;
    const int home = stage.contains(variable.path) ? stage.at(variable.path) : 0;
    const DimList& dims = variable.type.dims;
    const Sharding sharding = sharding_of(variable.path, dims, assignment);
    std::int64_t share = 1;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const auto found = padded.find(dims[i]);
      const std::int64_t size = found == padded.end() ? model.dims.size(dims[i]) : found->second;
      share *= size / mesh_of_stage(assignment, home).size(sharding.split[i]);
    }
    total[home] += share;
  }
  std::int64_t most = 0;
  for (const auto& [number, sum] : total) most = std::max(most, sum);
  return most;
}

namespace {

/// Whether W410 is about what stands there.
bool is_idle(Span span, const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.all().begin(), diagnostics.all().end(), [&](const Diagnostic& d) {
    return d.kind == DiagKind::unused_rule && !d.labels.empty() && d.labels.front().span == span;
  });
}

}  // namespace

LayoutReport check_layout(std::string file, const std::optional<Layout>& layout,
                          Diagnostics diagnostics, const std::optional<Mesh>& mesh_override,
                          const Model& model, const SourceMap& sources) {
  LayoutReport report;
  report.file = std::move(file);
  report.diagnostics = std::move(diagnostics);
  report.read = layout || report.diagnostics.errors() > 0;
  if (!layout) return report;
  const Resolution resolution = resolve_all(*layout, mesh_override, model, report.diagnostics);
  if (!resolution.assignment) return report;
  report.mesh = mesh_of_stage(*resolution.assignment, 0);
  report.processors = report.mesh.processors();
  report.hardware = layout->hardware;
  for (std::size_t i = 0; i < layout->settings.size(); ++i)
    if (const Span span = layout->setting_spans[i]; !is_idle(span, report.diagnostics))
      report.settings[layout->settings[i].first] = {layout->settings[i].second, span};
  const bool legal =
      check_legality(model, *layout, *resolution.assignment, sources, report.diagnostics);
  report.ok = resolution.ok && legal;
  if (!report.ok) return report;
  report.processors = processors_of(*resolution.assignment);
  warn_idle_axes(model, *layout, *resolution.assignment, report.diagnostics);
  report.parameters_per_processor = parameter_elements(model, *resolution.assignment);
  report.assignment = resolution.assignment;
  return report;
}

namespace {

std::string mesh_cell(const LayoutReport& report) {
  if (report.assignment && !report.assignment->stage_meshes.empty())
    return to_string(report.assignment->stage_meshes);
  return report.mesh.axes.empty() ? "-" : to_string(report.mesh);
}

}  // namespace

std::string summary_table(const std::vector<LayoutReport>& reports, std::size_t width) {
  std::vector<std::vector<std::string>> rows = {
      {"layout", "mesh", "processors", "parameters", "verdict"}};
  for (const LayoutReport& report : reports) {
    const std::string parameters =
        report.ok ? with_commas(report.parameters_per_processor) : std::string("-");
    const std::string processors =
        report.processors > 0 ? with_commas(report.processors) : std::string("-");
    rows.push_back(
        {printable(report.file), mesh_cell(report), processors, parameters, verdict(report)});
  }
  return table_text(rows, {"", {2, 3}, width});
}

}  // namespace mtfc::lowering
