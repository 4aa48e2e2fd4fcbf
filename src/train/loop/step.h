// One training step: its programs, and the parts of the batch that they are fed with.
#pragma once
#include "train/engine.h"
#include "train/train_plan.h"

namespace mtfc::runtime {

/// Runs the programs of a step in order. One with n > 1 parts runs for each part p, fed with rows
/// p, p + n, p + 2n, ... of every tensor in `feeds` (n must divide their number) and with
/// feed_names::microbatch. What they fetch goes to `fetched`.
class StepRunner {
 public:
  explicit StepRunner(std::vector<StepProgram> programs) : programs_(std::move(programs)) {}

  void run(Engine& engine, const Feeds& feeds, std::vector<Fetched>& fetched);
  /// Counted over the last step: the programs one after the other, each as often as it ran.
  Counters counters(const Engine& engine) const;

 private:
  void take_microbatch(const Feeds& feeds, std::int64_t m, std::int64_t count);

  std::vector<StepProgram> programs_;
  Feeds microbatch_feeds_;  // kept, so that nothing is allocated after the first step
};

}  // namespace mtfc::runtime
