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

  std::string check(const InstrContext& c) const {
    if (std::string error = counts(c, 1, 1); !error.empty()) return error;
    const ShardType &x = c.in[0], &y = c.out[0];
    if (std::string error = same_dtype(c); !error.empty()) return error;
    DimList from, to;
    for (const DimGroup& group : groups) {
      if (group.from.empty() || group.to.empty()) return "a group without dimensions";
      if (group.from.size() > 1 && group.to.size() > 1) return "a group that splits and merges";
      if (elements(c.dims, group.from) != elements(c.dims, group.to))
        return "a view changes a size";
      from.insert(from.end(), group.from.begin(), group.from.end());
      to.insert(to.end(), group.to.begin(), group.to.end());
      if (split_of(x, group.from[0]) != split_of(y, group.to[0]))
        return "the split does not follow";
      for (std::size_t i = 1; i < group.from.size(); ++i)
        if (!split_of(x, group.from[i]).empty()) return "a minor dimension is split";
      for (std::size_t i = 1; i < group.to.size(); ++i)
        if (!split_of(y, group.to[i]).empty()) return "a minor dimension is split";
    }
    if (!are_distinct(from) || !is_subset(from, x.tensor.dims))
      return "a view of a missing dimension";
    DimList expected = without(x.tensor.dims, from);
    for (DimId dim : expected)
      if (!same_split(x, y, dim)) return "a dimension beside the view is split differently";
    expected.insert(expected.end(), to.begin(), to.end());
    return same_set(expected, y.tensor.dims) ? "" : "wrong resulting dimensions";
  }
  PartialResult partial(const ShardTypes& in, bool) const { return partial_as_first(in); }

  friend bool operator==(const Rearrange&, const Rearrange&) = default;
};

}  // namespace mtfc
