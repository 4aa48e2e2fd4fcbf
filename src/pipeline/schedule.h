// In which order the stages of a pipeline run the forward and the backward pass of micro-batches.
//
// gpipe (Huang et al., arXiv 1811.06965): all forward, then all backward; every micro-batch is in
// flight at once. 1f1b (Narayanan et al., arXiv 2104.04473, section 2.2): stage i of p first runs
// forward for p - 1 - i micro-batches, then one forward and one backward in turns, so that no more
// than p - i are in flight. Both add gradients up in ascending order of micro-batches, and leave
// the same share of the time idle: (p - 1) / m of what m micro-batches take.
#pragma once
#include <cstdint>
#include <vector>

#include "ir/layout.h"

namespace mtfc::pipeline {

/// One pass of one micro-batch at one stage.
struct Task {
  bool backward = false;
  std::int64_t microbatch = 0;
  friend bool operator==(const Task&, const Task&) = default;
};

/// What stage `stage` of `stages` runs, in order: each pass of each micro-batch once.
std::vector<Task> order(Schedule schedule, int stages, int stage, std::int64_t microbatches);

/// The most micro-batches whose forward pass has begun and whose backward pass has not ended.
std::int64_t most_in_flight(const std::vector<Task>& tasks);

struct StageTask {
  int stage = 0;
  Task task;
  friend bool operator==(const StageTask&, const StageTask&) = default;
};
/// The tasks of all stages one after the other, so that each stage keeps its order and nothing runs
/// before what it needs: the forward pass of the stage before; the backward pass of the next one,
/// or at the last the forward pass.
std::vector<StageTask> sequence(Schedule schedule, int stages, std::int64_t microbatches);

}  // namespace mtfc::pipeline
