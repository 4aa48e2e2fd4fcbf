#include "layout/axis_sizes.h"

#include <algorithm>
#include <optional>

#include "ir/stage_meshes.h"
#include "support/text.h"

namespace mtfc::lowering {
namespace {

using Field = LayoutPipeline::Field;

Diagnostic wrong(std::string message, const Field& field, std::string help) {
  return diag(DiagKind::wrong_pipeline, std::move(message)).at(field.span).help(std::move(help));
}

/// The sizes that the field says; nothing: reported.
std::optional<std::vector<std::int64_t>> sizes_of(const Field& field, std::int64_t in_mesh,
                                                  Diagnostics& diagnostics) {
  std::vector<std::int64_t> sizes;
  for (const std::string& word : field.words) {
    const std::optional<std::int64_t> size = read_whole(word, 1, largest_size);
    if (!size) {
      diagnostics.report(
          wrong("`" + word + "` is not a valid size of mesh axis `" + field.name + "`", field,
                "`" + field.name +
                    " = 2+4` gives the axis 2 processors in the "
                    "first stage and 4 in the second"));
      return std::nullopt;
    }
    sizes.push_back(*size);
  }
  if (sizes.front() == in_mesh) return sizes;
  diagnostics.report(wrong("the first stage has `" + field.name + "=" +
                               std::to_string(sizes.front()) + "`, the mesh `" + field.name + "=" +
                               std::to_string(in_mesh) + "`",
                           field,
                           "the mesh is that of the first stage: write `" + field.name + "=" +
                               std::to_string(sizes.front()) + "` there, or begin with " +
                               std::to_string(in_mesh) + " here"));
  return std::nullopt;
}

bool is_too_large(const Mesh& mesh) {
  std::int64_t product = 1;
  for (const MeshAxis& axis : mesh.axes)
    if ((product *= axis.size) > largest_size) return true;
  return false;
}

}  // namespace

bool is_axis(const Field& field, const Mesh& mesh) {
  return std::find(pipeline_words.begin(), pipeline_words.end(), field.name) ==
             pipeline_words.end() &&
         mesh.find(field.name).has_value();
}

std::vector<Mesh> read_stage_meshes(const LayoutPipeline& pipeline, const Mesh& mesh,
                                    Diagnostics& diagnostics) {
  std::vector<Mesh> meshes;
  for (const Field& field : pipeline.fields) {
    if (!is_axis(field, mesh)) continue;
    const AxisId axis = *mesh.find(field.name);
    const auto sizes = sizes_of(field, mesh.size(axis), diagnostics);
    if (!sizes) return {};
    if (meshes.empty()) meshes.resize(sizes->size(), mesh);
    if (meshes.size() != sizes->size()) return {};
    for (std::size_t stage = 0; stage < meshes.size(); ++stage)
      meshes[stage].axes[axis.at()].size = (*sizes)[stage];
  }
  if (!meshes.empty() && is_too_large(widest(meshes))) {
    diagnostics.report(
        diag(DiagKind::wrong_pipeline, "the meshes of the stages are too large together")
            .at(pipeline.span)
            .help("the largest sizes of all axes make " + std::to_string(largest_size) +
                  " processors at most"));
    return {};
  }
  const bool alike =
      std::all_of(meshes.begin(), meshes.end(), [&](const Mesh& one) { return one == mesh; });
  return alike ? std::vector<Mesh>{} : meshes;
}

}  // namespace mtfc::lowering
