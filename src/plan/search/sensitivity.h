// For which speeds of links the best layout of a plan stays the best.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/search/search.h"

namespace mtfc::plan {

/// From `low` to `high` times the speed of one level's links no layout of the space is faster than
/// the best.
struct Stability {
  std::size_t level = 0;  // of the machine
  double low = 1, high = 1;
  /// What is faster beyond; nothing if none was found up to `farthest` or down to 1 / `farthest`,
  /// or if layouts that were not predicted, or pipelines, may be faster from there on.
  std::optional<Choice> below, above;
};
inline constexpr double farthest = 64;

/// Of each level that the best layout's mesh uses. Nothing of a pipeline.
std::vector<Stability> stability(const Plan& plan, const predict::Machine& machine);

}  // namespace mtfc::plan
