// The JSON header of a safetensors file.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "data/files/safetensors.h"

namespace mtfc::runtime::safetensors {

struct Header {
  std::vector<StoredTensor> tensors;  // by place
  Metadata metadata;
};

/// Reads the text and holds it against the rules: nothing but what the form has, no name twice,
/// known types, places that hold exactly their shapes and leave no hole and no overlap. `size` is
/// the number of bytes behind the header. What is wrong, as a phrase: "`w` is named twice".
struct ParsedHeader {
  Header header;
  std::string wrong;  // empty if nothing is
};
ParsedHeader parse_header(std::string_view text, std::uint64_t size);

}  // namespace mtfc::runtime::safetensors
