// Types: of whole tensors (Graph) and of their shards (Program).
#pragma once
#include <string>
#include <vector>

#include "ir/dims.h"
#include "support/combine.h"
#include "support/dtype.h"
#include "support/mesh.h"

namespace mtfc {

/// A whole tensor: a set of distinct dimensions in storage order (row-major), and an element type.
struct TensorType {
  DType dtype = DType::f32;
  std::vector<DimId> dims;
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

/// Where a value lives. A mesh axis occurs at most once in `split` and `partial` together; along
/// any other axis the value is replicated: equal bits on all processors.
struct Sharding {
  /// Per dimension of the tensor: the axes it is split over, major to minor. Empty: whole.
  std::vector<std::vector<AxisId>> split;
  /// The value is the sum (max, min) over these axes of what the processors hold. Ascending.
  std::vector<AxisId> partial;
  Combine combine = Combine::sum;  // meaningful if `partial` is not empty

  bool is_partial() const { return !partial.empty(); }
  friend bool operator==(const Sharding& a, const Sharding& b) {
    return a.split == b.split && a.partial == b.partial &&
           (a.partial.empty() || a.combine == b.combine);
  }
};

/// THE LAW: every Program value is a global tensor plus a sharding; what a processor holds depends
/// only on its coordinates on the axes in the sharding.
struct ShardType {
  TensorType tensor;
  Sharding sharding;
  friend bool operator==(const ShardType&, const ShardType&) = default;
};

/// Processors that share dimension number `i`: the product of its axes' sizes.
std::int64_t shard_count(const Mesh& mesh, const Sharding& sharding, std::size_t i);
/// Sizes of a processor's shard (the largest one: ceil(size / shard count)).
std::vector<std::int64_t> shard_extents(const DimTable& dims, const Mesh& mesh,
                                        const ShardType& type);
std::int64_t shard_elements(const DimTable& dims, const Mesh& mesh, const ShardType& type);
std::int64_t shard_bytes(const DimTable& dims, const Mesh& mesh, const ShardType& type);
/// The axes along which the value differs: split and partial ones, ascending.
std::vector<AxisId> varying_axes(const Sharding& sharding);
bool contains(const std::vector<AxisId>& axes, AxisId axis);
/// The split of `dim`, empty if the tensor lacks it or it is whole.
const std::vector<AxisId>& split_of(const ShardType& type, DimId dim);

// What is wrong with a sharding; "" if nothing is.
/// No dimension or axis is there twice.
std::string check_split(const ShardType& type);
/// Sizes are divisible, too.
std::string check_law(const DimTable& dims, const Mesh& mesh, const ShardType& type);

/// "f32[batch=64, hidden=32]"
std::string to_string(const DimTable& dims, const TensorType& type);
/// "f32[batch/rows, hidden] partial(cols)"; partial max prints "partial max(cols)".
std::string to_string(const DimTable& dims, const Mesh& mesh, const ShardType& type);

}  // namespace mtfc
