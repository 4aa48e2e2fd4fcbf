#include "solve/moments.h"

#include <algorithm>

namespace mtfc::solve {

Moments moments_of(const Problem& problem) {
  enum : int { end = 0, begin = 1 };
  std::vector<std::pair<std::int64_t, int>> events;
  for (const ProblemNode& node : problem.nodes) {
    if (!node.lives()) continue;
    events.emplace_back(node.from, begin);
    events.emplace_back(node.to, end);
  }
  std::sort(events.begin(), events.end());
  // The last beginning before an end: more are alive then than before.
  std::vector<std::int64_t> times;
  for (std::size_t k = 0; k + 1 < events.size(); ++k)
    if (events[k].second == begin && events[k + 1].second == end) times.push_back(events[k].first);

  Moments moments;
  moments.count = times.size();
  const auto at = [&](std::int64_t time) {
    return static_cast<std::uint32_t>(std::lower_bound(times.begin(), times.end(), time) -
                                      times.begin());
  };
  for (const ProblemNode& node : problem.nodes) {
    moments.first.push_back(at(node.from));
    moments.last.push_back(node.lives() ? at(node.to) : moments.first.back());
  }
  return moments;
}

}  // namespace mtfc::solve
