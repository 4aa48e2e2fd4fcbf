// Indices in descending order of the elements.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// The places along `dim` of size(ranks) elements in descending order, from rank `first` (0: the
/// largest) on, as i32; the first of equal ones first, NaN last. `dim` and `ranks` are whole.
struct TopPlaces {
  static constexpr std::string_view kName = "top_places";
  DimId dim, ranks;
  std::int64_t first = 0;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dim", self.dim);
    f("first", self.first);
    f("ranks", self.ranks);
  }
  friend bool operator==(const TopPlaces&, const TopPlaces&) = default;
};

}  // namespace mtfc
