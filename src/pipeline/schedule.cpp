#include "pipeline/schedule.h"

#include <algorithm>
#include <numeric>

#include "support/check.h"

namespace mtfc::pipeline {
namespace {

/// Forward passes that a stage runs before its first backward pass.
std::int64_t passes_ahead(const Shape& shape, int stage) {
  const std::int64_t total = shape.microbatches * shape.chunks;
  const std::int64_t behind = shape.stages - 1 - stage;  // stages that a micro-batch goes on to
  switch (shape.schedule) {
    case Schedule::gpipe:
      return total;
    case Schedule::one_f_one_b:
      return std::min(behind, total);
    case Schedule::interleaved:
      return std::min(2 * behind + std::int64_t{shape.chunks - 1} * shape.stages, total);
  }
  return total;
}

/// Number k of a stage's passes of one direction: as many micro-batches as there are stages go
/// through a chunk, then through the next one.
Task pass(const Shape& shape, bool backward, std::int64_t k) {
  const std::int64_t round = std::int64_t{shape.stages} * shape.chunks;
  const auto chunk = static_cast<int>(k % round / shape.stages);
  return {backward, k / round * shape.stages + k % shape.stages,
          backward ? shape.chunks - 1 - chunk : chunk};
}

}  // namespace

std::vector<Task> order(const Shape& shape, int stage) {
  const std::int64_t total = shape.microbatches * shape.chunks, ahead = passes_ahead(shape, stage);
  std::vector<Task> tasks;
  std::int64_t forward = 0, backward = 0;
  while (forward < ahead) tasks.push_back(pass(shape, false, forward++));
  while (backward < total) {
    if (forward < total) tasks.push_back(pass(shape, false, forward++));
    tasks.push_back(pass(shape, true, backward++));
  }
  return tasks;
}

std::vector<std::int64_t> most_in_flight(const std::vector<Task>& tasks,
                                         const std::vector<std::int64_t>& bytes) {
  std::vector<std::int64_t> now(bytes.size()), most(bytes.size());
  const auto held = [&](const std::vector<std::int64_t>& passes) {
    return std::inner_product(passes.begin(), passes.end(), bytes.begin(), std::int64_t{0});
  };
  for (const Task& task : tasks) {
    now[static_cast<std::size_t>(task.chunk)] += task.backward ? -1 : 1;
    if (held(now) > held(most)) most = now;
  }
  return most;
}

std::int64_t most_in_flight(const std::vector<Task>& tasks) {
  std::int64_t now = 0, most = 0;
  for (const Task& task : tasks) most = std::max(most, now += task.backward ? -1 : 1);
  return most;
}

namespace {

/// How far each virtual stage is.
struct Progress {
  std::vector<std::int64_t> forward, backward;  // micro-batches that have gone through

  bool allows(std::size_t at, const Task& task) const {
    if (!task.backward) return at == 0 || forward[at - 1] > task.microbatch;
    if (forward[at] <= task.microbatch) return false;
    return at + 1 == backward.size() || backward[at + 1] > task.microbatch;
  }
};

}  // namespace

std::vector<StageTask> sequence(const Shape& shape) {
  const auto stages = static_cast<std::size_t>(shape.stages);
  const auto count = static_cast<std::size_t>(shape.virtual_stages());
  std::vector<std::vector<Task>> orders;
  for (int stage = 0; stage < shape.stages; ++stage) orders.push_back(order(shape, stage));
  Progress progress{std::vector<std::int64_t>(count), std::vector<std::int64_t>(count)};
  std::vector<std::size_t> next(stages);
  std::vector<StageTask> all;
  const std::size_t total = 2 * count * static_cast<std::size_t>(shape.microbatches);
  while (all.size() < total) {
    const std::size_t before = all.size();
    for (int stage = 0; stage < shape.stages; ++stage) {
      const auto own = static_cast<std::size_t>(stage);
      if (next[own] == orders[own].size()) continue;
      const StageTask task{stage, orders[own][next[own]]};
      const auto at = static_cast<std::size_t>(task.virtual_stage(shape));
      if (!progress.allows(at, task.task)) continue;
      ++next[own];
      ++(task.task.backward ? progress.backward : progress.forward)[at];
      all.push_back(task);
    }
    MTFC_CHECK(all.size() > before, "the schedule waits for itself");
  }
  return all;
}

double least_idle(const Shape& shape) {
  const double others = shape.stages - 1;
  return others / (static_cast<double>(shape.microbatches) * shape.chunks + others);
}

}  // namespace mtfc::pipeline
