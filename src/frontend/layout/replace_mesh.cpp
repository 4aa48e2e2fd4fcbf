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
  std::string axes;
  for (const MeshAxis& axis : mesh.axes)
    axes += (axes.empty() ? "" : ", ") + axis.name + "=" + std::to_string(axis.size);
  return "mesh " + axes + "\n" + layout + (layout.ends_with('\n') ? "" : "\n");
}

}  // namespace mtfc
