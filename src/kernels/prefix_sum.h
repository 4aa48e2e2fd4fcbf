// prefix_sum: running sums along a dimension.
#pragma once
#include "kernels/kernel.h"

namespace mtfc::runtime {

/// Running sums along the middle one of three dense dimensions; f16 and bf16 run in f32.
struct PrefixSumSpec {
  DType dtype{};
  std::int64_t outer = 1, length = 1, inner = 1;
  bool exclusive = false, reverse = false;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dtype", self.dtype);
    f("outer", self.outer);
    f("length", self.length);
    f("inner", self.inner);
    f("exclusive", self.exclusive);
    f("reverse", self.reverse);
  }
};

double flops(const PrefixSumSpec& spec);
Pieces pieces(const PrefixSumSpec& spec);
void prefix_sum(Pool& pool, const PrefixSumSpec& spec, const Call* calls, int count);

}  // namespace mtfc::runtime
