#include "unit/predict/lab.h"

#include <catch2/catch.hpp>

namespace predict_lab {

ReadMachine read(const std::string& text, const Mesh& mesh) {
  SourceMap sources;
  Diagnostics found;
  ReadMachine made;
  const auto layout =
      parse_layout(sources, sources.add("test.layout", "hardware p {\n" + text + "\n}\n"), found);
  if (layout) made.machine = read_machine(layout->hardware.at(0), mesh, found);
  for (const Diagnostic& d : found.all())
    made.messages += std::string(info(d.kind).code) + " " + render_text(d, sources, {});
  return made;
}

Machine with_links(const std::string& links, const Mesh& mesh) {
  const ReadMachine made = read("chip flops=100F vector=10F mem=1000B hbm=20B/s\n" + links, mesh);
  INFO(made.messages);
  REQUIRE(made.machine);
  return *made.machine;
}

Mesh mesh_of(const std::string& text) {
  SourceMap sources;
  Diagnostics found;
  const auto mesh = parse_mesh(sources, sources.add("mesh", text), found);
  REQUIRE(mesh);
  return *mesh;
}

}  // namespace predict_lab
