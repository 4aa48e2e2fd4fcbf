#include "train/generate/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/random.h"

namespace mtfc::runtime {
namespace {

std::optional<std::size_t> largest(const std::vector<double>& logits) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (std::isnan(logits[i])) return std::nullopt;
    if (logits[i] > logits[best]) best = i;
  }
  if (!std::isfinite(logits[best])) return std::nullopt;
  return best;
}

/// The ids to draw from, in ascending order.
std::vector<std::int32_t> candidates(const std::vector<double>& logits, std::int64_t k) {
  std::vector<std::int32_t> ids(logits.size());
  std::iota(ids.begin(), ids.end(), 0);
  if (k <= 0 || k >= static_cast<std::int64_t>(ids.size())) return ids;
  const auto better = [&](std::int32_t a, std::int32_t b) {
    const double x = logits[static_cast<std::size_t>(a)], y = logits[static_cast<std::size_t>(b)];
    return x != y ? x > y : a < b;
  };
  std::nth_element(ids.begin(), ids.begin() + k, ids.end(), better);
  ids.resize(static_cast<std::size_t>(k));
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace

std::optional<std::int32_t> choose(const std::vector<double>& logits, const Sampling& sampling,
                                   std::int64_t text, std::int64_t position) {
  const auto best = largest(logits);
  if (!best) return std::nullopt;
  if (sampling.temperature <= 0) return static_cast<std::int32_t>(*best);
  // The inverse of the distribution function, in the order of the ids.
  const std::vector<std::int32_t> ids = candidates(logits, sampling.top_k);
  std::vector<double> weights;
  double sum = 0;
  for (const std::int32_t id : ids) {
    const double above = logits[static_cast<std::size_t>(id)] - logits[*best];
    sum += std::exp(above / sampling.temperature);
    weights.push_back(sum);
  }
  const double drawn = sum * uniform(sampling.key, static_cast<std::uint32_t>(position), text);
  const auto found = std::upper_bound(weights.begin(), weights.end(), drawn);
  const auto index = std::min<std::ptrdiff_t>(found - weights.begin(),
                                              static_cast<std::ptrdiff_t>(ids.size()) - 1);
  return ids[static_cast<std::size_t>(index)];
}

std::optional<std::vector<double>> log_probabilities(const std::vector<double>& logits) {
  const auto best = largest(logits);
  if (!best) return std::nullopt;
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit - logits[*best]);
  const double normalizer = logits[*best] + std::log(sum);
  std::vector<double> result = logits;
  for (double& logit : result) logit -= normalizer;
  return result;
}

}  // namespace mtfc::runtime
