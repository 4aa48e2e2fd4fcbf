// Writing .npy, version 1.0.
#include <algorithm>
#include <cstring>

#include "data/files/npy.h"
#include "support/host_tensor.h"

namespace mtfc::runtime {
namespace {

std::string shape_text(const std::vector<std::int64_t>& extents) {
  std::string text = "(";
  for (const std::int64_t extent : extents) text += std::to_string(extent) + ", ";
  if (extents.size() > 1) text.resize(text.size() - 2);  // one dimension keeps its comma: (3,)
  if (extents.size() == 1) text.pop_back();
  return text + ")";
}

/// Magic, version, length, dict; padded so that the data begins at a multiple of 64.
Bytes header_bytes(const std::string& descr, const std::vector<std::int64_t>& extents) {
  std::string dict =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape_text(extents) + ", }";
  const std::size_t prefix = 10;
  dict.append(63 - (prefix + dict.size()) % 64, ' ');
  dict += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(dict.size() & 255);
  text += static_cast<char>(dict.size() >> 8);
  text += dict;
  Bytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

const char* descr_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
    case DType::bf16:
      return "<f4";
    case DType::f64:
      return "<f8";
    case DType::f16:
      return "<f2";
    case DType::i32:
      return "<i4";
    case DType::boolean:
      return "|b1";
  }
  return "<f4";
}

}  // namespace

Bytes npy_bytes(const HostTensor& tensor) {
  if (tensor.dtype == DType::bf16)
    return npy_bytes(converted(tensor, DType::f32));  // NumPy has none
  Bytes bytes = header_bytes(descr_of(tensor.dtype), tensor.extents);
  bytes.insert(bytes.end(), tensor.data.begin(), tensor.data.end());
  return bytes;
}

Bytes npy_bytes(const std::vector<std::string>& strings) {
  std::size_t longest = 1;
  for (const std::string& text : strings) longest = std::max(longest, text.size());
  Bytes bytes =
      header_bytes("<U" + std::to_string(longest), {static_cast<std::int64_t>(strings.size())});
  for (const std::string& text : strings) {
    for (std::size_t i = 0; i < longest; ++i) {
      bytes.push_back(i < text.size() ? static_cast<std::byte>(text[i]) : std::byte{0});
      bytes.insert(bytes.end(), 3, std::byte{0});
    }
  }
  return bytes;
}

}  // namespace mtfc::runtime
