// In which order the stages of a pipeline run the forward and the backward pass of micro-batches.
//
// gpipe (Huang et al., arXiv 1811.06965): all forward, then all backward; every micro-batch is in
// flight at once. 1f1b (Narayanan et al., arXiv 2104.04473, section 2.2): stage i of p first runs
// forward for p - 1 - i micro-batches, then one forward and one backward in turns, so that no more
// than p - i are in flight. Both leave the same time idle: (p - 1) / m of what m micro-batches
// take.
//
// interleaved (section 2.2 of the same paper): each stage has v chunks of the model, p chunks apart
// from each other, and goes on with the next one after p micro-batches. It is 1f1b otherwise,
// with 2 (p - 1 - i) + (v - 1) p passes ahead. A v-th of a stage's work fills the pipeline, so that
// (p - 1) / (v m) is idle; more is in flight, and sent v times as often.
//
// All add gradients up in ascending order of micro-batches.
#pragma once
#include <cstdint>
#include <vector>

#include "ir/layout.h"

namespace mtfc::pipeline {

/// A pipeline as far as its schedule needs it. Virtual stage n, of stages * chunks in the order of
/// the model, is chunk n / stages of stage n % stages.
struct Shape {
  Schedule schedule = Schedule::one_f_one_b;
  int stages = 1;
  int chunks = 1;                 // of each stage; more than 1 only with interleaved
  std::int64_t microbatches = 1;  // with interleaved a multiple of the stages

  int virtual_stages() const { return stages * chunks; }
};

/// One pass of one micro-batch through one chunk of a stage.
struct Task {
  bool backward = false;
  std::int64_t microbatch = 0;
  int chunk = 0;
  friend bool operator==(const Task&, const Task&) = default;
};

/// What a stage runs, in order: each pass of each micro-batch through each chunk once.
std::vector<Task> order(const Shape& shape, int stage);

/// The most passes (of a micro-batch through a chunk) that have run forward and not yet ended
/// backward; by chunk, at the time at which `bytes`, of one pass by chunk, add up to the most.
std::vector<std::int64_t> most_in_flight(const std::vector<Task>& tasks,
                                         const std::vector<std::int64_t>& bytes);
/// The same where all passes count alike, in all.
std::int64_t most_in_flight(const std::vector<Task>& tasks);

struct StageTask {
  int stage = 0;
  Task task;

  int virtual_stage(const Shape& shape) const { return task.chunk * shape.stages + stage; }
  friend bool operator==(const StageTask&, const StageTask&) = default;
};
/// The tasks of all stages one after the other, so that each stage keeps its order and nothing runs
/// before what it needs: the forward pass of the virtual stage before; the backward pass of the
/// next one, or at the last the forward pass.
std::vector<StageTask> sequence(const Shape& shape);

/// The share of time that stages wait if all passes take equally long and sending takes none:
/// (p - 1) / (v m + p - 1).
double least_idle(const Shape& shape);

}  // namespace mtfc::pipeline
