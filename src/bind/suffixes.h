// Equal parts of a sequence, by its sorted suffixes.
#pragma once
#include <cstddef>
#include <vector>

namespace mtfc::bind {

/// The suffixes of a sequence in lexicographic order, by where they begin; and how many tokens each
/// shares with the one before it.
struct Suffixes {
  std::vector<std::size_t> order;
  std::vector<std::size_t> common;  // common[0] is 0
};

/// Prefix doubling (Manber and Myers 1993) and Kasai et al. 2001. Negative tokens equal nothing,
/// not even each other.
Suffixes sort_suffixes(const std::vector<int>& tokens);

}  // namespace mtfc::bind
