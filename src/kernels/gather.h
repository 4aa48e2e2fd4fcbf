// gather: elements of a table by index.
#pragma once
#include "kernels/kernel.h"

namespace mtfc::runtime {

/// y[i] = x[base(i) + sum_j index_j(i) * stride_j], or `fill` if some index is outside this
/// processor's block [begin_j, begin_j + extent_j) (0 instead of `fill` where it is inside the
/// global extent: another processor has it and the partial sum adds up; `fill` is given by the
/// processor whose coordinates on the indexed dimensions' axes are all 0). At most 8 indices.
struct GatherSpec {
  DType dtype{};
  struct Index {
    std::vector<std::int64_t> strides;  // of the index tensor, per iteration dimension
    std::int64_t x_stride = 0;
    std::int64_t extent = 0;  // of x's shard
    std::int64_t global_extent = 0;
    Offset begin;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("strides", self.strides);
      f("x_stride", self.x_stride);
      f("extent", self.extent);
      f("global_extent", self.global_extent);
      f("begin", self.begin);
    }
  };
  std::vector<std::int64_t> extents;    // of y, dense
  std::vector<std::int64_t> x_strides;  // per iteration dimension, 0 where x lacks it
  std::vector<Index> indices;
  double fill = 0;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dtype", self.dtype);
    f("extents", self.extents);
    f("x_strides", self.x_strides);
    f("indices", self.indices);
    f("fill", self.fill);
  }
};

inline double flops(const GatherSpec&) { return 0; }
Pieces pieces(const GatherSpec& spec);
/// Inputs x, then the indices.
void gather(Pool& pool, const GatherSpec& spec, const Call* calls, int count);

}  // namespace mtfc::runtime
