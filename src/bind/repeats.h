// Runs of equal tokens in a sequence: what occurs several times can be written once.
#pragma once
#include <cstddef>
#include <vector>

namespace mtfc::bind {

/// `length` tokens that begin at each of `begins` (ascending, at least two, never overlapping).
struct Repeat {
  std::size_t length = 0;
  std::vector<std::size_t> begins;
  friend bool operator==(const Repeat&, const Repeat&) = default;
};

struct RepeatRules {
  std::size_t shortest = 6;     // tokens of one iteration
  std::size_t least_saved = 8;  // tokens that need not be written again
};

/// Repeats that do not overlap each other, those that save most first. Negative tokens equal
/// nothing. `good_begin[i]`: how well an iteration would begin at token i; where a repeat may begin
/// at several places, the best one is taken.
std::vector<Repeat> find_repeats(std::vector<int> tokens, const std::vector<int>& good_begin,
                                 const RepeatRules& rules = {});

}  // namespace mtfc::bind
