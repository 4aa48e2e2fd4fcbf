// When the stages of a pipeline run the passes of micro-batches.
#pragma once
#include <vector>

#include "pipeline/schedule.h"

namespace mtfc::pipeline {

/// Of one micro-batch at one virtual stage; any unit.
struct StageTimes {
  double forward = 0, backward = 0;
};

/// What a pass waits for beside its stage: the end of another pass of the same micro-batch, and
/// what travels from there. `from`, `to`: virtual stages.
struct Send {
  int from = 0;
  bool from_backward = false;
  int to = 0;
  bool to_backward = false;
  double time = 0;
  bool first_only = false;  // with micro-batch 0; the others wait for that
};

struct TimedTask {
  StageTask what;
  double begin = 0, end = 0;
};

/// All tasks, in an order in which they can run. Each begins as soon as its stage is free and what
/// it waits for has come: that of `sends`, and in any case the same pass of the virtual stage
/// before (for the backward pass: behind) it, at the last one its own forward pass. Sending takes
/// no stage's time. `times`: by virtual stage.
std::vector<TimedTask> timeline(const Shape& shape, const std::vector<StageTimes>& times,
                                const std::vector<Send>& sends);

/// The end of the last task.
double span(const std::vector<TimedTask>& tasks);
/// The share of the stages' time until then in which they wait (with equal virtual stages and no
/// time for sending: least_idle).
double idle_share(const std::vector<TimedTask>& tasks, int stages);

}  // namespace mtfc::pipeline
