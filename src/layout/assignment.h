// What a layout means for one model: for every dimension the mesh axes it is split over.
#pragma once
#include <optional>

#include "ir/layout.h"
#include "ir/model.h"
#include "messages/diagnostic.h"

namespace mtfc::lowering {

/// Resolves the rules by name and checks what concerns single dimensions: axes that exist, sizes
/// that they divide, one axis for each dimension. `mesh_override` (--mesh) replaces the layout's
/// mesh. Absent if there is an error. Whether dimensions go together: legality.h.
std::optional<Assignment> resolve(const Layout& layout, const std::optional<Mesh>& mesh_override,
                                  const Model& model, Diagnostics& diagnostics);

/// The same, but goes on as far as it makes sense, so that clashes are found beside bad sizes. The
/// assignment is absent only if there is no mesh; if not `ok`, it is good for check_legality alone.
struct Resolution {
  std::optional<Assignment> assignment;
  bool ok = false;
};
Resolution resolve_all(const Layout& layout, const std::optional<Mesh>& mesh_override,
                       const Model& model, Diagnostics& diagnostics);

}  // namespace mtfc::lowering
