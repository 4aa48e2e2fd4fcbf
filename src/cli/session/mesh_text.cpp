#include "cli/session/mesh_text.h"

#include "ir/stage_meshes.h"
#include "support/text.h"

namespace mtfc::cli {

std::string mesh_text(const Assignment& assignment) {
  const Stages& stages = *assignment.stages;
  const std::string chunks =
      stages.chunks > 1 ? ", " + std::to_string(stages.chunks) + " chunks" : "";
  const std::string text =
      counted(stages.count, "stage") + " (" + std::string(name(stages.schedule)) + chunks + ") of ";
  if (!assignment.stage_meshes.empty())
    return text + "meshes " + to_string(assignment.stage_meshes);
  return text + mesh_text(assignment.mesh) + (stages.count > 1 ? " each" : "");
}

std::string mesh_text(const Mesh& mesh) {
  if (mesh.processors() == 1) return "one processor";
  return "mesh " + to_string(mesh);
}

}  // namespace mtfc::cli
