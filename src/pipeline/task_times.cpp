#include "pipeline/task_times.h"

#include <algorithm>

namespace mtfc::pipeline {
namespace {

class Clock {
 public:
  Clock(std::size_t stages, std::int64_t microbatches)
      : free_(stages),
        ends_(2 * stages, std::vector<double>(static_cast<std::size_t>(microbatches))) {}

  double free(int stage) const { return free_[static_cast<std::size_t>(stage)]; }
  double end(int stage, bool backward, std::int64_t microbatch) const {
    return ends_[row(stage, backward)][static_cast<std::size_t>(microbatch)];
  }
  void note(const StageTask& task, double end) {
    free_[static_cast<std::size_t>(task.stage)] = end;
    ends_[row(task.stage, task.task.backward)][static_cast<std::size_t>(task.task.microbatch)] =
        end;
  }

 private:
  static std::size_t row(int stage, bool backward) {
    return 2 * static_cast<std::size_t>(stage) + (backward ? 1 : 0);
  }
  std::vector<double> free_;
  std::vector<std::vector<double>> ends_;
};

/// What every pass waits for.
double after_neighbour(const Clock& clock, const StageTask& at, int stages) {
  const std::int64_t m = at.task.microbatch;
  if (!at.task.backward) return at.stage == 0 ? 0 : clock.end(at.stage - 1, false, m);
  return at.stage + 1 == stages ? clock.end(at.stage, false, m) : clock.end(at.stage + 1, true, m);
}

}  // namespace

std::vector<TimedTask> timeline(Schedule schedule, std::int64_t microbatches,
                                const std::vector<StageTimes>& stages,
                                const std::vector<Send>& sends) {
  const int count = static_cast<int>(stages.size());
  Clock clock(stages.size(), microbatches);
  const auto row = [](int stage, bool backward) {
    return 2 * static_cast<std::size_t>(stage) + (backward ? 1 : 0);
  };
  std::vector<std::vector<const Send*>> coming(2 * stages.size());  // by stage and pass
  for (const Send& send : sends) coming[row(send.to, send.to_backward)].push_back(&send);
  std::vector<TimedTask> tasks;
  for (const StageTask& at : sequence(schedule, count, microbatches)) {
    double begin = std::max(clock.free(at.stage), after_neighbour(clock, at, count));
    for (const Send* send : coming[row(at.stage, at.task.backward)])
      begin = std::max(begin, clock.end(send->from, send->from_backward,
                                        send->first_only ? 0 : at.task.microbatch) +
                                  send->time);
    const StageTimes& times = stages[static_cast<std::size_t>(at.stage)];
    const double end = begin + (at.task.backward ? times.backward : times.forward);
    clock.note(at, end);
    tasks.push_back({at, begin, end});
  }
  return tasks;
}

double span(const std::vector<TimedTask>& tasks) {
  double last = 0;
  for (const TimedTask& task : tasks) last = std::max(last, task.end);
  return last;
}

double idle_share(const std::vector<TimedTask>& tasks, int stages) {
  double busy = 0;
  for (const TimedTask& task : tasks) busy += task.end - task.begin;
  const double all = span(tasks) * stages;
  return all > 0 ? 1 - busy / all : 0;
}

}  // namespace mtfc::pipeline
