// A shard as extents and strides, and where it begins in the whole tensor.
#pragma once
#include <cstdint>
#include <vector>

#include "ir/type.h"
#include "kernels/kernel.h"
#include "support/strides.h"

namespace mtfc::backends {

/// What turns names into numbers.
struct Context {
  const DimTable& dims;
  const Mesh& mesh;
};

using Numbers = std::vector<std::int64_t>;

/// The dense, row-major memory of a value on one processor.
class ShardView {
 public:
  ShardView(const Context& context, const ShardType& type);

  const std::vector<DimId>& dims() const { return type_.tensor.dims; }
  const Numbers& extents() const { return extents_; }
  const Numbers& strides() const { return strides_; }
  std::int64_t elements() const { return product(extents_); }
  DType dtype() const { return type_.tensor.dtype; }

  bool has(DimId dim) const { return position(dims(), dim) >= 0; }
  /// 0 where the tensor lacks the dimension: it is broadcast.
  std::int64_t stride(DimId dim) const;
  /// The tensor must have the dimension.
  std::int64_t extent(DimId dim) const;
  /// Position along `dim` of the shard's first element in the whole tensor.
  runtime::Offset begin(DimId dim) const;

 private:
  const Context& context_;
  const ShardType& type_;
  Numbers extents_, strides_;
};

}  // namespace mtfc::backends
