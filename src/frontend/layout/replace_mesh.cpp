#include "frontend/layout/replace_mesh.h"

#include "frontend/layout/parse_layout.h"

namespace mtfc {

std::string with_mesh(std::string layout, const Mesh& mesh) {
  SourceMap sources;
  Diagnostics ignored;
  const std::optional<Layout> parsed =
      parse_layout(sources, sources.add("layout", layout), ignored);
  if (parsed && parsed->mesh_span.valid())
    layout.erase(parsed->mesh_span.begin, parsed->mesh_span.end - parsed->mesh_span.begin);
  return "mesh " + to_string(mesh) + "\n" + layout + (layout.ends_with('\n') ? "" : "\n");
}

}  // namespace mtfc
