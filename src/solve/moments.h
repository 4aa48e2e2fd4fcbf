// When limits count.
#pragma once
#include <cstdint>
#include <vector>

#include "solve/problem.h"

namespace mtfc::solve {

/// Times of a problem at which the most nodes are alive: whatever is alive at another time is alive
/// at one of these. In order.
struct Moments {
  std::size_t count = 0;
  std::vector<std::uint32_t> first, last;  // by node of the problem: alive in [first, last)
};
Moments moments_of(const Problem& problem);

}  // namespace mtfc::solve
