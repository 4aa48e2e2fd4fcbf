// From partial to complete and split.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// Partial over `axis` -> complete and split: a dimension of each operand, dims[i] of operand i,
/// gets `axis` as its minor-most axis. Several operands, which are partial alike: one bucket.
struct ReduceScatter {
  static constexpr std::string_view kName = "reduce_scatter";
  Combine kind{};
  DimList dims;
  AxisId axis;
  Summing how{};

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("combine", self.kind);
    f("dims", self.dims);
    f("axis", self.axis);
    f("by_library", self.how.by_library);
    f("begun", self.how.begun);
  }
  friend bool operator==(const ReduceScatter&, const ReduceScatter&) = default;
};

}  // namespace mtfc
