// Every layout that ships is legal for its model, without a warning, at the sizes that its comment
// asks for (`-D heads=256`).
#include <catch2/catch.hpp>
#include <regex>

#include "frontend/elaborate/elaborate.h"
#include "frontend/layout/parse_layout.h"
#include "layout/check_summary.h"
#include "messages/render.h"
#include "sources.h"

namespace structure_shipped_layouts_test {

using namespace mtfc;
using namespace mtfc::test;

namespace {

std::string folder_of(const std::string& path) {
  const std::size_t end = path.rfind('/'), begin = path.rfind('/', end - 1) + 1;
  return path.substr(begin, end - begin);
}

ElaborateOptions sizes_in(const std::string& text) {
  ElaborateOptions options;
  const std::regex define("-D (\\w+)=(\\d+)");
  for (std::sregex_iterator m(text.begin(), text.end(), define), end; m != end; ++m)
    options.defines.emplace_back((*m)[1], (*m)[2]);
  return options;
}

std::string messages(const Diagnostics& diagnostics, const SourceMap& sources) {
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) text += render_text(d, sources, {});
  return text;
}

}  // namespace

TEST_CASE("shipped layouts are legal", "[structure]") {
  const auto models = files_below("models", {".mtf"});
  const auto layouts = files_below("models/layouts", {".layout"});
  REQUIRE(layouts.size() >= 13);
  for (const SourceText& file : layouts) {
    INFO(file.path);
    const std::string wanted = "models/" + folder_of(file.path) + ".mtf";
    SourceMap sources;
    Diagnostics diagnostics;
    std::optional<Model> model;
    for (const SourceText& m : models)
      if (m.path == wanted)
        model = elaborate(sources, sources.add(std::string(MTFC_SOURCE_DIR) + "/" + m.path, m.text),
                          sizes_in(file.text), diagnostics);
    INFO(messages(diagnostics, sources));
    REQUIRE(model);
    Diagnostics of_layout;
    const auto layout = parse_layout(sources, sources.add(file.path, file.text), of_layout);
    const auto report =
        lowering::check_layout(file.path, layout, of_layout, std::nullopt, *model, sources);
    INFO(messages(report.diagnostics, sources));
    CHECK(report.ok);
    CHECK(report.diagnostics.warnings() == 0);
  }
}

}  // namespace structure_shipped_layouts_test
