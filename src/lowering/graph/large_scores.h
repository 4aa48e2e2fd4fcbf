// What makes a product worth computing twice instead of keeping it: attention's scores, quadratic
// in the length. Asked of graphs (mark_scores) and of programs (rematerialize-products,
// tile-products).
#pragma once
#include <cstdint>

namespace mtfc::lowering {

/// Terms of a sum: with more the product takes longer than memory is worth.
inline constexpr std::int64_t kMostTerms = 128;
/// A result that has so many times more elements than either factor.
inline constexpr std::int64_t kMuchLarger = 4;
/// Bytes of one processor's shard: fewer stay in a cache anyway.
inline constexpr std::int64_t kLeastBytes = 2 << 20;

}  // namespace mtfc::lowering
