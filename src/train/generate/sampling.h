// The next id from logits: the largest, or a random sample.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace mtfc::runtime {

struct Sampling {
  double temperature = 0;  // 0: the id with the largest logit, the first of several
  std::int64_t top_k = 0;  // draw from the k largest only, the first of equal ones; 0: from all
  std::uint64_t key = 0;   // of the samples
};

/// Sample number (text, position): the same id whatever the layout, up to rounding of the logits.
/// Absent if a logit is not a number or none is finite.
std::optional<std::int32_t> choose(const std::vector<double>& logits, const Sampling& sampling,
                                   std::int64_t text, std::int64_t position);

/// Logarithms of the probabilities. Absent as above.
std::optional<std::vector<double>> log_probabilities(const std::vector<double>& logits);

}  // namespace mtfc::runtime
