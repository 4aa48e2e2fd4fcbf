// A mesh axis from one dimension to another.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// dim `from` gives up `axis`, dim `to` takes it (minor-most both).
struct AllToAll {
  static constexpr std::string_view kName = "all_to_all";
  DimId from, to;
  AxisId axis;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("from", self.from);
    f("to", self.to);
    f("axis", self.axis);
  }
  friend bool operator==(const AllToAll&, const AllToAll&) = default;
};

}  // namespace mtfc
