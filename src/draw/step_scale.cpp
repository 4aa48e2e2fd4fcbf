#include "draw/step_scale.h"

#include <algorithm>
#include <map>

namespace mtfc::draw {

StepScale scale_of(const std::vector<const cost::Cost*>& costs) {
  StepScale scale;
  std::map<std::string, std::int64_t> sent;
  for (const cost::Cost* cost : costs) {
    scale.most_bytes = std::max(scale.most_bytes, static_cast<double>(cost->peak.in_use()));
    for (const cost::CollectiveCost& one : cost->collectives)
      sent[one.cause] += one.sent_per_processor;
  }
  for (const auto& [rule, bytes] : sent) scale.rules.push_back(rule);
  std::stable_sort(scale.rules.begin(), scale.rules.end(),
                   [&](const auto& a, const auto& b) { return sent[a] > sent[b]; });
  return scale;
}

}  // namespace mtfc::draw
