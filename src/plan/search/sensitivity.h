// For which speeds of links the best layout of a plan stays the best.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/search/search.h"

namespace mtfc::plan {

/// Factors of the speed of one level's links, from 1 / `farthest` to `farthest`.
struct SpeedRange {
  double low = 1, high = 1;
};

struct Stability {
  std::size_t level = 0;  // of the machine
  SpeedRange proved;      // no layout of the space is faster than the best
  SpeedRange predicted;   // none is of those that were predicted, pipelines excepted
  /// What is faster beyond the latter; nothing if it reaches as far as was looked.
  std::optional<Choice> below, above;
};
inline constexpr double farthest = 1 << SlowerLinks::octaves;

/// Of each level that the best layout's mesh uses. Nothing of a pipeline.
std::vector<Stability> stability(const Plan& plan, const predict::Machine& machine);

}  // namespace mtfc::plan
