#include "pipeline/schedule.h"

#include <algorithm>

#include "support/check.h"

namespace mtfc::pipeline {

std::vector<Task> order(Schedule schedule, int stages, int stage, std::int64_t microbatches) {
  const std::int64_t ahead = schedule == Schedule::gpipe
                                 ? microbatches
                                 : std::min<std::int64_t>(stages - 1 - stage, microbatches);
  std::vector<Task> tasks;
  std::int64_t forward = 0, backward = 0;
  while (forward < ahead) tasks.push_back({false, forward++});
  while (backward < microbatches) {
    if (forward < microbatches) tasks.push_back({false, forward++});
    tasks.push_back({true, backward++});
  }
  return tasks;
}

std::int64_t most_in_flight(const std::vector<Task>& tasks) {
  std::int64_t now = 0, most = 0;
  for (const Task& task : tasks) {
    now += task.backward ? -1 : 1;
    most = std::max(most, now);
  }
  return most;
}

namespace {

/// How far each stage is.
struct Progress {
  std::vector<std::int64_t> forward, backward;  // by stage: micro-batches that have gone through

  bool allows(int stage, const Task& task) const {
    const auto at = static_cast<std::size_t>(stage);
    if (!task.backward) return stage == 0 || forward[at - 1] > task.microbatch;
    if (forward[at] <= task.microbatch) return false;
    return at + 1 == backward.size() || backward[at + 1] > task.microbatch;
  }
};

}  // namespace

std::vector<StageTask> sequence(Schedule schedule, int stages, std::int64_t microbatches) {
  const auto count = static_cast<std::size_t>(stages);
  std::vector<std::vector<Task>> orders;
  for (int stage = 0; stage < stages; ++stage)
    orders.push_back(order(schedule, stages, stage, microbatches));
  Progress progress{std::vector<std::int64_t>(count), std::vector<std::int64_t>(count)};
  std::vector<std::size_t> next(count);
  std::vector<StageTask> all;
  const std::size_t total = 2 * count * static_cast<std::size_t>(microbatches);
  while (all.size() < total) {
    const std::size_t before = all.size();
    for (int stage = 0; stage < stages; ++stage) {
      const auto at = static_cast<std::size_t>(stage);
      if (next[at] == orders[at].size()) continue;
      const Task task = orders[at][next[at]];
      if (!progress.allows(stage, task)) continue;
      ++next[at];
      ++(task.backward ? progress.backward : progress.forward)[at];
      all.push_back({stage, task});
    }
    MTFC_CHECK(all.size() > before, "the schedule waits for itself");
  }
  return all;
}

}  // namespace mtfc::pipeline
