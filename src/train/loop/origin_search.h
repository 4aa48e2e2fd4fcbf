// The step of a run with which values that are not finite began.
#pragma once
#include <string>

#include "data/feeder.h"
#include "train/loop/finite.h"
#include "train/loop/snapshot.h"
#include "train/loop/step.h"
#include "train/loop/train_hooks.h"
#include "train/train_plan.h"

namespace mtfc::runtime {

/// As many steps in a row are skipped at most (`on_nan = skip`): a run that only skips learns
/// nothing.
inline constexpr int most_skipped = 100;

/// Makes the steps of the run once more. Called by all ranks; what is referred to outlives it.
class OriginSearch {
 public:
  OriginSearch(Engine& engine, const TrainPlan& plan, const TrainHooks& hooks, Feeder& feeder,
               StepRunner& step)
      : engine_(engine), plan_(plan), hooks_(hooks), feeder_(feeder), step_(step) {}

  struct Origin {
    std::int64_t step = 0;  // its number, from 0
    StepOutcome outcome;
  };
  /// Of a run that has made so many steps: from where it was last saved, or from its beginning,
  /// with the loss and every variable looked at after each. Of a run that skips the first of the
  /// steps that it skipped at the end. Then that step is shown (TrainHooks::before_bad). Absent:
  /// there is none, or no memory for it, or a signal has come.
  std::optional<Origin> run(std::int64_t steps);
  /// What the step was fed with.
  const Feeds& feeds() const { return feeds_; }
  /// What to do about it, as TrainHooks::before_bad has it; empty: that was not found.
  const std::string& advice() const { return advice_; }

 private:
  std::optional<Origin> find(std::int64_t steps);
  std::optional<std::int64_t> reload();
  Result<TrainState> begin_again();
  bool feed(std::int64_t step);
  std::optional<StepOutcome> repeat(std::int64_t step);
  void show(std::int64_t step);

  Engine& engine_;
  const TrainPlan& plan_;
  const TrainHooks& hooks_;
  Feeder& feeder_;
  StepRunner& step_;
  Feeds feeds_;
  std::vector<Fetched> fetched_;
  Snapshot snapshot_;
  std::string advice_;
};

}  // namespace mtfc::runtime
