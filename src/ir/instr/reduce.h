// Sums, maxima and minima over dimensions.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

struct Reduce {
  static constexpr std::string_view kName = "reduce";
  Combine kind{};
  DimList reduced;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("combine", self.kind);
    f("reduced", self.reduced);
  }

  std::string check(const InstrContext& c) const {
    if (std::string error = counts(c, 1, 1); !error.empty()) return error;
    if (!makes(c.in[0].tensor.dtype, c.out[0].tensor.dtype)) return "wrong resulting type";
    if (!are_distinct(reduced) || !is_subset(reduced, c.in[0].tensor.dims))
      return "a reduced dimension is not in the operand";
    if (!same_set(without(c.in[0].tensor.dims, reduced), c.out[0].tensor.dims))
      return "wrong resulting dimensions";
    return aligned(c.in[0], c.out[0]);
  }
  PartialResult partial(const ShardTypes& in, bool) const {
    return multilinear(in, 0, reduced, kind);
  }
  Flops flops(const InstrContext& c) const { return {1, c.in[0]}; }

  /// Sums of bool count; those of f16 and bf16 are made in f32, and may stay so.
  bool makes(DType from, DType to) const {
    if (from == DType::boolean && kind == Combine::sum) return to == DType::i32;
    return to == from || (is_half(from) && (to == DType::f32 || is_half(to)));
  }

  friend bool operator==(const Reduce&, const Reduce&) = default;
};

}  // namespace mtfc
