// top_k: where the largest elements along a dimension are.
#pragma once
#include "kernels/kernel.h"

namespace mtfc::runtime {

/// y[outer, k, inner] = the indices (i32) of x[outer, length, inner] in descending order, from
/// offset `first` on; the first of equal ones first, NaN last.
struct TopKSpec {
  DType dtype{};
  std::int64_t outer = 1, length = 1, first = 0, k = 1, inner = 1;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dtype", self.dtype);
    f("outer", self.outer);
    f("length", self.length);
    f("first", self.first);
    f("k", self.k);
    f("inner", self.inner);
  }
};

inline double flops(const TopKSpec&) { return 0; }
Pieces pieces(const TopKSpec& spec);
void top_k(Pool& pool, const TopKSpec& spec, const Call* calls, int count);

}  // namespace mtfc::runtime
