#include "fuzz/case.h"

#include "frontend/elaborate/elaborate.h"
#include "frontend/layout/parse_layout.h"
#include "layout/check_summary.h"
#include "lowering/graph/generation/derive_generation.h"
#include "messages/render.h"

namespace mtfc::fuzz {

namespace {

ElaborateOptions options_of(const Sections& sections) {
  ElaborateOptions options;
  for (const auto& [name, text] : sections) {
    if (name.rfind("define ", 0) == 0) options.defines.emplace_back(name.substr(7), text);
    if (name.rfind("set ", 0) == 0) options.settings.emplace_back(name.substr(4), text);
  }
  return options;
}

lowering::LayoutReport judge(Case& c, const Sections& sections) {
  Diagnostics found;
  const FileId file = c.sources.add("x.layout", section(sections, "layout"));
  const std::optional<Layout> layout = parse_layout(c.sources, file, found);
  std::optional<Mesh> mesh;
  if (const std::string text = section(sections, "mesh"); !text.empty())
    mesh = parse_mesh(c.sources, c.sources.add("--mesh", text), found);
  return lowering::check_layout("x.layout", layout, std::move(found), mesh, *c.model, c.sources);
}

}  // namespace

void render_all(const Diagnostics& found, const SourceMap& sources) {
  for (const Diagnostic& diagnostic : found.all()) {
    require(!render_text(diagnostic, sources, {}).empty(), "nothing is said");
    require(!render_json(diagnostic, sources).empty(), "nothing is said");
  }
}

Case check(const Sections& sections) {
  Case c;
  const FileId file = c.sources.add("model.mtf", sections.front().second);
  c.model = elaborate(c.sources, file, options_of(sections), c.found);
  if (c.model && !lowering::run_before_layout(*c.model, {}, c.found)) c.model.reset();
  if (c.model) lowering::check_generation(*c.model, c.found);
  render_all(c.found, c.sources);
  require(c.model || !c.found.ok(), "a model is refused without a reason");
  if (!c.model) return c;
  lowering::LayoutReport report = judge(c, sections);
  render_all(report.diagnostics, c.sources);
  require(!lowering::summary_table({report}).empty(), "no summary");
  require(report.ok == report.assignment.has_value(), "a layout is legal without an assignment");
  require(report.ok || !report.diagnostics.ok(), "a layout is refused without a reason");
  c.assignment = std::move(report.assignment);
  c.hardware = std::move(report.hardware);
  return c;
}

lowering::State lower(const Case& c, const lowering::Request& request) {
  lowering::State state = lowering::start(*c.model, *c.assignment, request);
  for (const lowering::Pass& pass : lowering::passes()) {
    lowering::run(pass, state);
    if (const std::string broken = lowering::verify(state, pass.stage); !broken.empty())
      wrong("after " + std::string(pass.name) + ": " + broken);
  }
  return state;
}

}  // namespace mtfc::fuzz
