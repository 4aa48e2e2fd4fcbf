// scatter_add: the adjoint of gather.
#pragma once
#include "kernels/gather.h"

namespace mtfc::runtime {

/// y zeroed, then y[base(i) + sum_j index_j(i) * stride_j] += x[i] in ascending i wherever that is
/// inside the block. `gather.extents` are those of x (dense), `x_strides` and `x_stride` are
/// strides of y. f16 and bf16 add in f32 and round once.
struct ScatterAddSpec {
  GatherSpec gather;
  std::int64_t y_size = 0;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("gather", self.gather);
    f("y_size", self.y_size);
  }
};

inline double flops(const ScatterAddSpec&) { return 0; }
Pieces pieces(const ScatterAddSpec& spec);
/// Inputs x, then the indices.
void scatter_add(Pool& pool, const ScatterAddSpec& spec, const Call* calls, int count);

}  // namespace mtfc::runtime
