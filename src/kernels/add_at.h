// add_at: scatter_add onto a sum.
#pragma once
#include "kernels/gather.h"

namespace mtfc::runtime {

/// sum[.., index[i], ..] += x[i] in ascending i, where the index lies in this processor's block.
/// `gather` is as for scatter_add (kernels/scatter_add.h), with one index. In f16 and bf16 each
/// addition is made in f32 and rounded.
struct AddAtSpec {
  GatherSpec gather;
  std::int64_t y_size = 0;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("gather", self.gather);
    f("y_size", self.y_size);
  }
};

inline double flops(const AddAtSpec&) { return 0; }
Pieces pieces(const AddAtSpec& spec);
/// Inputs x, index, sum; the output may be the sum's memory.
void add_at(Pool& pool, const AddAtSpec& spec, const Call* calls, int count);

}  // namespace mtfc::runtime
