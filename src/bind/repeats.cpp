#include "bind/repeats.h"

#include <algorithm>

#include "bind/suffixes.h"

namespace mtfc::bind {
namespace {

// Of a longer list of places nothing is learned that a shorter one does not tell.
constexpr std::size_t kMostPositions = 4096;

struct Candidate {
  Repeat repeat;
  std::size_t common = 0;  // tokens that all iterations share: at least the length

  std::size_t saved() const {
    return repeat.begins.empty() ? 0 : (repeat.begins.size() - 1) * repeat.length;
  }
};

/// Iterations at some of these places, none over another. Iterations that follow each other at a
/// smaller distance than they share are one period long.
Candidate without_overlaps(std::vector<std::size_t> positions, std::size_t common,
                           const RepeatRules& rules) {
  std::sort(positions.begin(), positions.end());
  Candidate candidate{{common, {}}, common};
  for (std::size_t i = 1; i < positions.size(); ++i) {
    const std::size_t distance = positions[i] - positions[i - 1];
    if (distance >= rules.shortest)
      candidate.repeat.length = std::min(candidate.repeat.length, distance);
  }
  std::size_t end = 0;
  for (const std::size_t position : positions) {
    if (position < end) continue;
    candidate.repeat.begins.push_back(position);
    end = position + candidate.repeat.length;
  }
  return candidate;
}

/// Of all sets of suffixes that share a beginning, the one that saves most.
Candidate best_candidate(const std::vector<int>& tokens, const RepeatRules& rules) {
  const Suffixes suffixes = sort_suffixes(tokens);
  struct Open {
    std::size_t common, first;  // suffixes from number `first` on share so many tokens
  };
  std::vector<Open> open;
  Candidate best;
  const auto close = [&](const Open& set, std::size_t end) {
    const std::size_t positions = end - set.first;
    if (set.common < rules.shortest || positions > kMostPositions) return;
    if ((positions - 1) * set.common <= best.saved()) return;
    const auto begin = suffixes.order.begin();
    Candidate candidate = without_overlaps(
        {begin + static_cast<std::ptrdiff_t>(set.first), begin + static_cast<std::ptrdiff_t>(end)},
        set.common, rules);
    if (candidate.saved() > best.saved()) best = std::move(candidate);
  };
  for (std::size_t i = 1; i <= tokens.size(); ++i) {
    const std::size_t common = i < tokens.size() ? suffixes.common[i] : 0;
    std::size_t first = i - 1;
    while (!open.empty() && open.back().common > common) {
      first = open.back().first;
      close(open.back(), i);
      open.pop_back();
    }
    if (common > 0 && (open.empty() || open.back().common < common))
      open.push_back({common, first});
  }
  return best;
}

/// All iterations later by the same number of tokens, where they begin best and still are equal.
void begin_well(Candidate& candidate, const std::vector<int>& good_begin) {
  Repeat& repeat = candidate.repeat;
  std::size_t best = 0;
  for (std::size_t shift = 1; shift <= candidate.common - repeat.length; ++shift)
    if (good_begin[repeat.begins[0] + shift] > good_begin[repeat.begins[0] + best]) best = shift;
  for (std::size_t& begin : repeat.begins) begin += best;
}

}  // namespace

std::vector<Repeat> find_repeats(std::vector<int> tokens, const std::vector<int>& good_begin,
                                 const RepeatRules& rules) {
  std::vector<Repeat> repeats;
  while (true) {
    Candidate best = best_candidate(tokens, rules);
    if (best.saved() < rules.least_saved) return repeats;
    begin_well(best, good_begin);
    for (const std::size_t begin : best.repeat.begins)
      std::fill_n(tokens.begin() + static_cast<std::ptrdiff_t>(begin), best.repeat.length, -1);
    repeats.push_back(std::move(best.repeat));
  }
}

}  // namespace mtfc::bind
