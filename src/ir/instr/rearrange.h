// Views: renamed, split and merged dimensions.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// Renames, splits and merges dimensions: no data moves between processors.
struct Rearrange {
  static constexpr std::string_view kName = "rearrange";
  std::vector<DimGroup> groups;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("groups", self.groups);
  }
  friend bool operator==(const Rearrange&, const Rearrange&) = default;
};

}  // namespace mtfc
