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
    if (!same_set(without(c.in[0].tensor.dims, reduced), c.out[0].tensor.dims))
      return "wrong resulting dimensions";
    return aligned(c.in[0], c.out[0]);
  }
  PartialResult partial(const ShardTypes& in, bool) const {
    return multilinear(in, 0, reduced, kind);
  }
  double flops(const InstrContext& c) const { return shard_size(c, c.in[0]); }

  friend bool operator==(const Reduce&, const Reduce&) = default;
};

}  // namespace mtfc
