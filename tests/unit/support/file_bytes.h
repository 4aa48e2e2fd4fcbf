// Tensors and files for tests: numbers that are easily told apart, and bytes as they lie on a disk.
#pragma once
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/host_tensor.h"

namespace mtfc::test {

inline runtime::HostTensor counting(DType dtype, std::vector<std::int64_t> extents) {
  runtime::HostTensor tensor = runtime::HostTensor::zeros(dtype, std::move(extents));
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    runtime::set_element(tensor, i, double(i % 2));
  return tensor;
}

inline std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace mtfc::test
