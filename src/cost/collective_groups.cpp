#include "cost/collective_groups.h"

#include <algorithm>

namespace mtfc::cost {

JsonFields origin_fields(const CollectiveCost& one) {
  return {{"kind", json(one.kind)},
          {"axes", json(one.axes)},
          {"source", json(one.model_line())},
          {"cause", json(one.cause)},
          {"phase", json(one.phase)}};
}

bool is_like(const CollectiveCost& a, const CollectiveCost& b) {
  return a.kind == b.kind && a.axes == b.axes && a.cause == b.cause && a.phase == b.phase &&
         a.model_line() == b.model_line();
}

std::vector<CollectiveGroup> grouped(const std::vector<CollectiveCost>& all) {
  std::vector<CollectiveGroup> groups;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const CollectiveCost& one = all[i];
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const CollectiveGroup& g) { return is_like(g.first, one); });
    if (group == groups.end()) group = groups.insert(groups.end(), CollectiveGroup{one});
    ++group->count;
    group->members.push_back(i);
    const auto known = std::find(group->library.begin(), group->library.end(), one.source);
    if (!one.call.empty() && known == group->library.end()) group->library.push_back(one.source);
    group->bytes += one.bytes_per_processor;
    group->sent += one.sent_per_processor;
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  return groups;
}

}  // namespace mtfc::cost
