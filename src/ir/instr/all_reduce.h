// From partial to complete.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// Partial over `axes` -> complete. Several operands: one bucket.
struct AllReduce {
  static constexpr std::string_view kName = "all_reduce";
  Combine kind{};
  std::vector<AxisId> axes;
  Summing how{};

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("combine", self.kind);
    f("axes", self.axes);
    f("by_library", self.how.by_library);
    f("async", self.how.async);
  }

  std::string check(const InstrContext& c) const {
    if (std::string error = bucket(c, c.in.size()); !error.empty()) return error;
    if (!can_combine(c.in[0].tensor.dtype, kind)) return "a sum of bool";
    for (std::size_t i = 0; i < c.in.size(); ++i) {
      const ShardType &x = c.in[i], &y = c.out[i];
      if (x.tensor != y.tensor || x.sharding.split != y.sharding.split)
        return "a reduction changes the split";
      if (x.sharding.partial != axes || x.sharding.combine != kind)
        return "the operand is not partial over these axes";
    }
    return "";
  }
  PartialResult partial(const ShardTypes&, bool) const { return PartialAxes{}; }
  std::vector<AxisId> along() const { return axes; }
  const ShardTypes& traffic(const InstrContext& c) const { return c.in; }

  friend bool operator==(const AllReduce&, const AllReduce&) = default;
};

}  // namespace mtfc
