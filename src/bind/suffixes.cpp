#include "bind/suffixes.h"

#include <algorithm>
#include <numeric>

namespace mtfc::bind {
namespace {

/// Ranks of the single tokens: equal ones have equal ranks, negative ones a rank each.
std::vector<std::size_t> first_ranks(const std::vector<int>& tokens) {
  std::vector<std::size_t> order(tokens.size()), ranks(tokens.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return tokens[a] < tokens[b]; });
  std::size_t rank = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int token = tokens[order[i]];
    if (i > 0 && (token < 0 || token != tokens[order[i - 1]])) ++rank;
    ranks[order[i]] = rank;
  }
  return ranks;
}

}  // namespace

Suffixes sort_suffixes(const std::vector<int>& tokens) {
  const std::size_t n = tokens.size();
  std::vector<std::size_t> ranks = first_ranks(tokens), next(n);
  Suffixes suffixes{std::vector<std::size_t>(n), std::vector<std::size_t>(n, 0)};
  std::vector<std::size_t>& order = suffixes.order;
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Ranks by the first `length` tokens give those by twice as many.
  for (std::size_t length = 1; n > 0; length *= 2) {
    const auto second = [&](std::size_t i) { return i + length < n ? ranks[i + length] + 1 : 0; };
    const auto less = [&](std::size_t a, std::size_t b) {
      return ranks[a] != ranks[b] ? ranks[a] < ranks[b] : second(a) < second(b);
    };
    std::sort(order.begin(), order.end(), less);
    next[order[0]] = 0;
    for (std::size_t i = 1; i < n; ++i)
      next[order[i]] = next[order[i - 1]] + (less(order[i - 1], order[i]) ? 1 : 0);
    ranks.swap(next);
    if (ranks[order[n - 1]] == n - 1) break;
  }
  std::size_t common = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (ranks[i] == 0) {
      common = 0;
      continue;
    }
    const std::size_t other = order[ranks[i] - 1];
    while (i + common < n && other + common < n && tokens[i + common] >= 0 &&
           tokens[i + common] == tokens[other + common])
      ++common;
    suffixes.common[ranks[i]] = common;
    if (common > 0) --common;
  }
  return suffixes;
}

}  // namespace mtfc::bind
