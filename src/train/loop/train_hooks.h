// What a training run asks of whoever starts it.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/feeder.h"
#include "support/result.h"
#include "train/checkpoint/train_state.h"
#include "train/engine.h"

namespace mtfc::runtime {

/// All optional. Called on the root only if nothing else is said.
struct TrainHooks {
  /// Called by all ranks in the place of the program that gives first values: sets every variable
  /// that is saved, and says where the run stood. Absent: a run from the beginning.
  std::function<Result<TrainState>()> resume;
  /// Called by all ranks once the data is open.
  std::function<void(const Feeder& feeder)> opened;
  /// One line of the log, a JSON object without its line end.
  std::function<Status(const std::string& line)> log;
  /// Before the first step of a run from the beginning (a disk that is full is found at once), at
  /// checkpoint_every or checkpoint_seconds, after the last step, and when interrupted. Called by
  /// all ranks.
  std::function<Status(const TrainState& state)> save;
  /// Instead of `save`, if a variable is not finite: keeps what there is apart from what is good,
  /// and returns where. Called by all ranks.
  std::function<Result<std::string>(const TrainState& state)> save_apart;
  /// Sets the variables as they were when they were last saved, and says how the run stood. Called
  /// by all ranks.
  std::function<Result<TrainState>()> reload;
  /// The variables are as before a step or an evaluation that led to values that are not finite:
  /// `again` makes it on any engine of the same programs, so that the operation at fault can be
  /// looked for. Returns what to do about it, empty if that cannot be said; the same on all ranks,
  /// each of which calls it.
  std::function<std::string(const std::function<void(Engine&)>& again)> before_bad;
  /// What the last step fetched, in program order.
  std::function<void(std::int64_t steps_done, const std::vector<Fetched>& fetched)> after_step;
  /// Show progress on stderr: a moving line on a terminal, plain lines elsewhere.
  bool progress = false;
};

}  // namespace mtfc::runtime
