#include "trace/pipeline_tracks.h"

#include <vector>

namespace mtfc::trace {

void add_pipeline(ChromeTrace& trace, const predict::PipelinePrediction& prediction, int stages) {
  constexpr int passes = 1;
  for (int stage = 0; stage < stages; ++stage) {
    trace.process(stage, "stage " + std::to_string(stage));
    trace.track(stage, passes, "micro-batches");
  }
  std::vector<std::int64_t> in_flight(static_cast<std::size_t>(stages));
  for (const pipeline::TimedTask& task : prediction.passes) {
    const auto& [backward, microbatch, chunk] = task.what.task;
    const char* pass = backward ? "backward" : "forward";
    trace.slice(
        task.what.stage, passes, pass + (" " + std::to_string(microbatch)), pass,
        nanoseconds(task.begin), nanoseconds(task.end),
        json_object({{"microbatch", json(microbatch)}, {"chunk", json(std::int64_t{chunk})}}));
    std::int64_t& now = in_flight[static_cast<std::size_t>(task.what.stage)];
    now += backward ? -1 : 1;
    trace.counter(task.what.stage, "in flight", nanoseconds(backward ? task.end : task.begin),
                  {{"micro-batches", json(now)}});
  }
  const Nanoseconds end = nanoseconds(prediction.step);
  for (int stage = 0; stage < stages; ++stage)
    trace.slice(stage, passes, "once per step", "update",
                nanoseconds(prediction.step - prediction.once), end, "{}");
}

}  // namespace mtfc::trace
