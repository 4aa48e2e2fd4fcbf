// The rules behind one movement of data, in one text: "batch:rows;hidden:cols".
#pragma once
#include <string>
#include <string_view>

namespace mtfc {

/// Adds those rules that are not yet in `text`.
void add_causes(std::string& text, std::string_view rules);

}  // namespace mtfc
