// add_at: scatter_add onto a sum.
#pragma once
#include "kernels/scatter_add.h"

namespace mtfc::runtime {

/// What scatter_add gives, with one index, added to a sum one after the other. In f16 and bf16 each
/// addition is made in f32 and rounded.
struct AddAtSpec {
  ScatterAddSpec scatter;  // y: the sum

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("scatter", self.scatter);
  }
};

inline double flops(const AddAtSpec&) { return 0; }
Pieces pieces(const AddAtSpec& spec);
/// Inputs x, index, sum; the output may be the sum's memory.
void add_at(Pool& pool, const AddAtSpec& spec, const Call* calls, int count);

}  // namespace mtfc::runtime
