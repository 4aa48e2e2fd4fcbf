// Running sums.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// Sums along `dim`, which is not split, up to each index; `exclusive`: without the index itself;
/// `reverse`: from the end.
struct PrefixSum {
  static constexpr std::string_view kName = "prefix_sum";
  DimId dim;
  bool exclusive = false, reverse = false;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dim", self.dim);
    f("exclusive", self.exclusive);
    f("reverse", self.reverse);
  }

  std::string check(const InstrContext& c) const {
    if (std::string error = counts(c, 1, 1); !error.empty()) return error;
    if (c.in[0].tensor.dtype == DType::boolean) return "a sum of bool";
    if (c.in[0] != c.out[0]) return "a running sum changes the type";
    return not_split(c.in[0], {dim});
  }
  PartialResult partial(const ShardTypes& in, bool) const { return never_partial(in); }
  Flops flops(const InstrContext& c) const { return {1, c.in[0]}; }

  friend bool operator==(const PrefixSum&, const PrefixSum&) = default;
};

}  // namespace mtfc
