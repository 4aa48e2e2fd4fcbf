// A block of a tensor: a range of places along each dimension.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "support/strides.h"

namespace mtfc::runtime {

struct Block {
  std::vector<std::int64_t> begin, extents;  // of every dimension

  static Block whole(std::vector<std::int64_t> extents) {
    std::vector<std::int64_t> begin(extents.size(), 0);
    return {std::move(begin), std::move(extents)};
  }
  std::int64_t elements() const { return product(extents); }
  friend bool operator==(const Block&, const Block&) = default;
};

/// What two blocks of one tensor have in common; nothing if that has no element.
inline std::optional<Block> common(const Block& a, const Block& b) {
  Block both = a;
  for (std::size_t d = 0; d < a.begin.size(); ++d) {
    both.begin[d] = std::max(a.begin[d], b.begin[d]);
    both.extents[d] =
        std::min(a.begin[d] + a.extents[d], b.begin[d] + b.extents[d]) - both.begin[d];
    if (both.extents[d] <= 0) return std::nullopt;
  }
  return both;
}

/// The block as seen from the beginning of another one that holds it.
inline Block inside(Block block, const Block& outer) {
  for (std::size_t d = 0; d < block.begin.size(); ++d) block.begin[d] -= outer.begin[d];
  return block;
}

/// Calls run(place, place_in_block, count) for each run of elements that lie one after the other in
/// a row-major tensor of these extents and in the dense, row-major block of it: ascending, and as
/// long as they can be.
template <class Run>
void for_each_run(const std::vector<std::int64_t>& extents, const Block& block, Run&& run) {
  if (block.elements() == 0) return;
  // Dimensions behind the last one that is cut lie one after the other, and so does its range.
  std::size_t outer = extents.size();
  std::int64_t length = 1;
  while (outer > 0) {
    --outer;
    length *= block.extents[outer];
    if (block.extents[outer] != extents[outer]) break;
  }
  std::int64_t from = 0;
  std::vector<std::int64_t> strides(extents.size(), 1);
  for (std::size_t d = extents.size(); d-- > 0;) {
    if (d + 1 < extents.size()) strides[d] = strides[d + 1] * extents[d + 1];
    from += block.begin[d] * strides[d];
  }
  std::vector<std::int64_t> index(outer, 0);
  for (std::int64_t to = 0; true; to += length) {
    run(from, to, length);
    std::size_t d = outer;
    while (d > 0) {
      --d;
      from += strides[d];
      if (++index[d] < block.extents[d]) break;
      from -= strides[d] * block.extents[d];
      index[d] = 0;
      if (d == 0) return;
    }
    if (outer == 0) return;
  }
}

}  // namespace mtfc::runtime
