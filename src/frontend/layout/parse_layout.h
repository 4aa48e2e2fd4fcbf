// Text of layouts and meshes -> data (ir/layout.h). What a layout means for a model is resolved
// in layout/assignment.h.
#pragma once
#include <optional>

#include "ir/layout.h"
#include "messages/diagnostic.h"
#include "messages/source_map.h"

namespace mtfc {

/// Parses a whole layout file, or the text of --rules. All mistakes are reported; the result is
/// absent if there is an error among them. Never throws; time is linear in the text.
std::optional<Layout> parse_layout(const SourceMap& sources, FileId file, Diagnostics& diagnostics);

/// Parses the text of --mesh: "rows:2;cols:4", "rows=2, cols=4". An empty text is one processor.
std::optional<Mesh> parse_mesh(const SourceMap& sources, FileId file, Diagnostics& diagnostics);

}  // namespace mtfc
