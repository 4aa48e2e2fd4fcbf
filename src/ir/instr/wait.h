// The wait that completes a sum or a gather started asynchronously.
#pragma once
#include <algorithm>

#include "ir/instr/rules.h"

namespace mtfc {

/// Operands: the results of one collective that was started asynchronously, which nothing else
/// reads, then its operands, which it may have been reading until now. Results: the first,
/// complete.
struct Wait {
  static constexpr std::string_view kName = "wait";

  template <class Self, class F>
  static void fields(Self&, F&&) {}

  std::string check(const InstrContext& c) const {
    if (c.in.size() != 2 * c.out.size() || c.out.empty())
      return "wrong number of operands or results";
    return std::equal(c.out.begin(), c.out.end(), c.in.begin()) ? "" : "waiting changes a type";
  }
  PartialResult partial(const ShardTypes& in, bool) const { return partial_as_first(in); }

  friend bool operator==(const Wait&, const Wait&) = default;
};

}  // namespace mtfc
