#include "pipeline/task_times.h"

#include <algorithm>

namespace mtfc::pipeline {
namespace {

/// When each stage is free, and each pass has ended.
class Timetable {
 public:
  explicit Timetable(const Shape& shape)
      : shape_(shape),
        free_(static_cast<std::size_t>(shape.stages)),
        ends_(2 * static_cast<std::size_t>(shape.virtual_stages()),
              std::vector<double>(static_cast<std::size_t>(shape.microbatches))) {}

  double free(int stage) const { return free_[static_cast<std::size_t>(stage)]; }
  double end(int virtual_stage, bool backward, std::int64_t microbatch) const {
    return ends_[row(virtual_stage, backward)][static_cast<std::size_t>(microbatch)];
  }
  void note(const StageTask& at, double end) {
    free_[static_cast<std::size_t>(at.stage)] = end;
    ends_[row(at.virtual_stage(shape_), at.task.backward)]
         [static_cast<std::size_t>(at.task.microbatch)] = end;
  }
  /// Of passes of one direction.
  static std::size_t row(int virtual_stage, bool backward) {
    return 2 * static_cast<std::size_t>(virtual_stage) + (backward ? 1 : 0);
  }

 private:
  const Shape& shape_;
  std::vector<double> free_;
  std::vector<std::vector<double>> ends_;
};

/// What every pass waits for.
double after_neighbour(const Timetable& known, const StageTask& at, const Shape& shape) {
  const std::int64_t m = at.task.microbatch;
  const int here = at.virtual_stage(shape);
  if (!at.task.backward) return here == 0 ? 0 : known.end(here - 1, false, m);
  return here + 1 == shape.virtual_stages() ? known.end(here, false, m)
                                            : known.end(here + 1, true, m);
}

}  // namespace

std::vector<TimedTask> timeline(const Shape& shape, const std::vector<StageTimes>& times,
                                const std::vector<Send>& sends) {
  Timetable known(shape);
  std::vector<std::vector<const Send*>> coming(2 * times.size());
  for (const Send& send : sends) coming[Timetable::row(send.to, send.to_backward)].push_back(&send);
  std::vector<TimedTask> tasks;
  for (const StageTask& at : sequence(shape)) {
    const int here = at.virtual_stage(shape);
    double begin = std::max(known.free(at.stage), after_neighbour(known, at, shape));
    for (const Send* send : coming[Timetable::row(here, at.task.backward)])
      begin = std::max(begin, known.end(send->from, send->from_backward,
                                        send->first_only ? 0 : at.task.microbatch) +
                                  send->time);
    const StageTimes& own = times[static_cast<std::size_t>(here)];
    const double end = begin + (at.task.backward ? own.backward : own.forward);
    known.note(at, end);
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
