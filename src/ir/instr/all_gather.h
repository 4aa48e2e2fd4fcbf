// From split to replicated.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// dims[i] of operand i gives up `axis`, its minor-most axis. Several operands: as ReduceScatter.
struct AllGather {
  static constexpr std::string_view kName = "all_gather";
  DimList dims;
  AxisId axis;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dims", self.dims);
    f("axis", self.axis);
  }
  friend bool operator==(const AllGather&, const AllGather&) = default;
};

}  // namespace mtfc
