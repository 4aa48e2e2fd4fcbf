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
    f("begun", self.how.begun);
  }
  friend bool operator==(const AllReduce&, const AllReduce&) = default;
};

}  // namespace mtfc
