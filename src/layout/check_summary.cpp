#include "layout/check_summary.h"

#include <algorithm>

#include "layout/assignment.h"
#include "layout/legality.h"
#include "support/display.h"

namespace mtfc::lowering {
namespace {

std::string mesh_text(const Mesh& mesh) {
  if (mesh.axes.empty()) return "-";
  std::string text;
  for (const MeshAxis& axis : mesh.axes)
    text += (text.empty() ? "" : ", ") + axis.name + "=" + std::to_string(axis.size);
  return text;
}

/// 802816 -> "802,816".
std::string with_commas(std::int64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3;) text.insert(i -= 3, ",");
  return text;
}

std::string counted(std::size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string verdict(const LayoutReport& report) {
  const std::size_t warnings = report.diagnostics.warnings();
  if (!report.ok) return counted(report.diagnostics.errors(), "error");
  return warnings == 0 ? "ok" : "ok, " + counted(warnings, "warning");
}

using Row = std::vector<std::string>;
constexpr std::size_t numbers_begin = 2, numbers_end = 4;  // right-aligned columns

std::string shortened(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  // The end of a path tells files apart.
  std::size_t end = text.size();
  while (end > 0 && display_width(std::string_view(text).substr(previous(text, end))) + 3 <= width)
    end = previous(text, end);
  return "..." + text.substr(end);
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::size_t columns = display_width(text);
  const std::string blanks(width > columns ? width - columns : 0, ' ');
  return right ? blanks + text : text + blanks;
}

std::vector<std::size_t> column_widths(const std::vector<Row>& rows, std::size_t width) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  std::size_t total = 2 * (widths.size() - 1);
  for (std::size_t c = 0; c < widths.size(); ++c) {
    for (const Row& row : rows) widths[c] = std::max(widths[c], display_width(row[c]));
    total += widths[c];
  }
  // Only the name of the file gives way.
  if (total > width)
    widths[0] -= std::min(total - width, widths[0] - std::min<std::size_t>(widths[0], 12));
  return widths;
}

}  // namespace

std::int64_t parameter_elements(const Model& model) {
  return parameter_elements(model, Placement{});
}

std::int64_t parameter_elements(const Model& model, const Placement& placement) {
  std::int64_t total = 0;
  for (const Variable& variable : model.variables) {
    if (variable.kind != Variable::Kind::parameter) continue;
    std::int64_t share = elements(model.dims, variable.type.dims);
    for (DimId dim : variable.type.dims)
      for (AxisId axis : placement.axes(dim)) share /= placement.mesh.size(axis);
    total += share;
  }
  return total;
}

LayoutReport check_layout(std::string file, const std::optional<Layout>& layout,
                          Diagnostics diagnostics, const std::optional<Mesh>& mesh_override,
                          const Model& model, const SourceMap& sources) {
  LayoutReport report;
  report.file = std::move(file);
  report.diagnostics = std::move(diagnostics);
  if (!layout) return report;
  const Resolution resolution =
      resolve_all(*layout, mesh_override, model, sources, report.diagnostics);
  if (!resolution.placement) return report;
  report.mesh = resolution.placement->mesh;
  report.processors = report.mesh.processors();
  const bool legal =
      check_legality(model, *layout, *resolution.placement, sources, report.diagnostics);
  report.ok = resolution.ok && legal;
  if (!report.ok) return report;
  report.parameters_per_processor = parameter_elements(model, *resolution.placement);
  report.placement = resolution.placement;
  return report;
}

std::string summary_table(const std::vector<LayoutReport>& reports, std::size_t width) {
  std::vector<Row> rows = {{"layout", "mesh", "processors", "parameters", "verdict"}};
  for (const LayoutReport& report : reports) {
    const std::string parameters =
        report.ok ? with_commas(report.parameters_per_processor) : std::string("-");
    const std::string processors =
        report.processors > 0 ? with_commas(report.processors) : std::string("-");
    rows.push_back(
        {printable(report.file), mesh_text(report.mesh), processors, parameters, verdict(report)});
  }
  const std::vector<std::size_t> widths = column_widths(rows, width);
  std::string table;
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string cell = c == 0 ? shortened(row[c], widths[c]) : row[c];
      const bool last = c + 1 == row.size();
      const bool right = c >= numbers_begin && c < numbers_end;
      table += last ? cell + "\n" : padded(cell, widths[c], right) + "  ";
    }
  }
  return table;
}

}  // namespace mtfc::lowering
