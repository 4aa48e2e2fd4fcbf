// Patterns over paths: "layers.*.attn.wq", "**.b".
#pragma once
#include <string>
#include <string_view>

namespace mtfc {

/// `*` matches any text within a segment, `**` for any text across segments; `**.` for nothing
/// too, so that "**.b" matches "b". Time is the product of the lengths at most.
bool glob_matches(std::string_view glob, std::string_view path);

/// "layers.*.attn.q" of "layers.3.attn.q": instances of a block are one.
std::string general_path(std::string_view path);
/// As parameters have it, of the block that makes them: the second use of a name, "up~1", is one
/// of "up".
std::string without_uses(std::string_view path);
/// Whether the glob means the path: one without `~` takes all uses of a name.
bool glob_takes(std::string_view glob, std::string_view path);

}  // namespace mtfc
