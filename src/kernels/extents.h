// Iteration spaces: dimensions that can be walked as one are merged, the rest is counted through.
#pragma once
#include <cstdint>
#include <vector>

#include "support/strides.h"

namespace mtfc::runtime {

/// One dimension with its stride in each of several tensors.
struct Dim {
  std::int64_t extent = 1;
  std::vector<std::int64_t> strides;
};

/// Drops dimensions of extent 1 and merges neighbours that every tensor walks evenly.
std::vector<Dim> merged(const std::vector<Dim>& dims);

using mtfc::product;
std::int64_t product(const std::vector<Dim>& dims);

/// Counts through the first `rank` of `dims` in row-major order, with the offset of one tensor.
class Walk {
 public:
  Walk() = default;
  Walk(const std::vector<Dim>& dims, std::size_t rank, std::size_t tensor, std::int64_t position);
  std::int64_t offset() const { return offset_; }
  /// Steps that stay within the innermost dimension from here.
  std::int64_t even() const { return rank_ == 0 ? 1 : extent(rank_ - 1) - index_[rank_ - 1]; }
  std::int64_t stride() const { return rank_ == 0 ? 0 : stride(rank_ - 1); }
  void advance(std::int64_t steps);  // at most even()

 private:
  static constexpr std::size_t kMaxRank = 32;
  std::int64_t extent(std::size_t d) const { return (*dims_)[d].extent; }
  std::int64_t stride(std::size_t d) const { return (*dims_)[d].strides[tensor_]; }

  const std::vector<Dim>* dims_ = nullptr;
  std::size_t rank_ = 0, tensor_ = 0;
  std::int64_t offset_ = 0;
  std::int64_t index_[kMaxRank];
};

}  // namespace mtfc::runtime
