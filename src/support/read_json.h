// JSON that was written elsewhere. One place has the library's parser, which takes the compiler
// seconds.
#pragma once
#include <nlohmann/json.hpp>
#include <string_view>

namespace mtfc {

/// Discarded (`is_discarded()`) if the text is not JSON. What lies deeper than `depth` is left out,
/// so that nobody follows text without end.
nlohmann::json read_json(std::string_view text, int depth);
/// With the keys of objects in the order of the text.
nlohmann::ordered_json read_ordered_json(std::string_view text, int depth);

}  // namespace mtfc
