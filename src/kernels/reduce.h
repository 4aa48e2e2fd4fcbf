// reduce: sums, maxima and minima over dimensions.
#pragma once
#include "kernels/kernel.h"
#include "support/combine.h"

namespace mtfc::runtime {

/// y[kept] = reduce over `reduced` of x[kept, reduced]. Sums of bool give i32; sums of f16 and bf16
/// accumulate in f32. The order of additions depends on extents only, never on threads. Empty: 0;
/// of max and min of floats -inf and inf, of int the lowest and highest, of bool 0 and 1.
struct ReduceSpec {
  DType x{}, y{};
  Combine kind{};
  std::vector<std::int64_t> kept_extents, kept_strides;  // of x; y is dense in kept order
  std::vector<std::int64_t> reduced_extents, reduced_strides;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("x", self.x);
    f("y", self.y);
    f("kind", self.kind);
    f("kept_extents", self.kept_extents);
    f("kept_strides", self.kept_strides);
    f("reduced_extents", self.reduced_extents);
    f("reduced_strides", self.reduced_strides);
  }
};

double flops(const ReduceSpec& spec);
Pieces pieces(const ReduceSpec& spec);
void reduce(Pool& pool, const ReduceSpec& spec, const Call* calls, int count);

}  // namespace mtfc::runtime
