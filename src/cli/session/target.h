// The machine that a time is predicted for: a preset, or what a layout describes.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/session/session.h"
#include "ir/layout.h"
#include "predict/mapping.h"

namespace mtfc::cli {

struct Target {
  Mesh mesh;
  predict::Machine machine;
  predict::Mapping mapping;  // of the mesh on the machine
};

/// What one `hardware` entry of a layout means for this mesh. Nothing: reported in `found`.
std::optional<Target> target_of(SourceMap& sources, const Hardware& hardware, const Mesh& mesh,
                                Diagnostics& found);

/// Its machine alone, for meshes that `mesh` has the axes of.
std::optional<predict::Machine> machine_of(SourceMap& sources, const Hardware& hardware,
                                           const Mesh& mesh, Diagnostics& found);

/// What `meshes`, as text, do not have room on.
Diagnostic too_small(const Span& hardware, const predict::Machine& machine,
                     const std::string& meshes);

/// The description of --hardware, a name among those of the layout or of a preset, or else the
/// layout's. `status` stays exit_done if neither names any.
std::optional<Hardware> chosen_hardware(Session& session, const std::vector<Hardware>& of_layout,
                                        int& status);
/// Its machine, and where the mesh lies on it.
std::optional<Target> find_target(Session& session, const std::vector<Hardware>& of_layout,
                                  const Mesh& mesh, int& status);

}  // namespace mtfc::cli
