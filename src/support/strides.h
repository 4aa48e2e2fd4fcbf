// Extents and strides of dense tensors.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mtfc {

/// Elements of a tensor with these extents.
inline std::int64_t product(const std::vector<std::int64_t>& extents) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : extents) elements *= extent;
  return elements;
}

/// Row-major, in elements.
inline std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> strides(extents.size());
  std::int64_t stride = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= extents[i];
  }
  return strides;
}

}  // namespace mtfc
