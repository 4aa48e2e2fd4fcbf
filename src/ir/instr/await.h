// The wait that completes a sum started asynchronously.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// Operands: the results of one sum that was started asynchronously, which nothing else reads, then
/// its operands, which it may have been reading until now. Results: the first, complete.
struct Await {
  static constexpr std::string_view kName = "await";

  template <class Self, class F>
  static void fields(Self&, F&&) {}
  friend bool operator==(const Await&, const Await&) = default;
};

}  // namespace mtfc
