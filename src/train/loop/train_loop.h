// The training loop: one for the simulated mesh, for MPI ranks and for emitted programs.
//
// It runs the engine's programs: "init" once; those of the plan's step for each step (step.h), fed
// with the inputs and "step" (i32, from 0); at evaluations "eval_begin", "eval" for each batch, fed
// with the inputs and "examples" (i32, how many of the batch are real), and "eval_finish". The
// value fetched as (loss, "loss") is the total that is minimised. Every rank feeds the same whole
// batches.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/feeder.h"
#include "support/result.h"
#include "train/checkpoint/train_state.h"
#include "train/engine.h"
#include "train/train_plan.h"

namespace mtfc::runtime {

/// Exit statuses of a training run.
enum : int {
  status_done = 0,
  status_failed = 3,      // data, files
  status_not_finite = 6,  // a loss or a variable is NaN or infinite
  status_signal = 128,    // and its number: 130 for SIGINT, 143 for SIGTERM, 129 for SIGHUP
};

/// The message of a rank that ends because another one failed, which tells the reason.
inline constexpr const char* failed_elsewhere = "another processor failed";

/// All optional. Called on the root only if nothing else is said.
struct TrainHooks {
  /// Called by all ranks once the variables have their first values: replaces them and says where
  /// the run stood. Absent: a run from the beginning.
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
  /// looked for. Called by all ranks.
  std::function<void(const std::function<void(Engine&)>& again)> before_bad;
  /// What the last step fetched, in program order.
  std::function<void(std::int64_t steps_done, const std::vector<Fetched>& fetched)> after_step;
  /// Show progress on stderr: a moving line on a terminal, plain lines elsewhere.
  bool progress = false;
};

struct TrainResult : TrainState {
  int status = status_done;
  std::vector<Fetched> losses;      // of the last step that was run, if the run did not fail
  std::vector<Fetched> evaluation;  // what the last one fetched
  Feeder::Amount read;              // of the data, by this process
  Error error;                      // if it failed(); the same on all ranks

  bool failed() const { return status == status_failed || status == status_not_finite; }
};

/// "ended by SIGTERM after step 250": of a run with status_signal or more.
std::string interruption(const TrainResult& result);

TrainResult run_training(Engine& engine, const TrainPlan& plan, const TrainHooks& hooks);

/// Every variable under its path, in global form. Called by all ranks; the root writes.
Status save_variables(Engine& engine, const std::string& path);

/// How an emitted program was called.
struct CommandLine {
  std::vector<std::string> words;  // all of them, the program's own name first
  std::vector<std::string> left;   // options that nobody has read
  std::string more_usage;          // of those that were read before: "[--threads N]"
};

/// The last argument of an option, which is taken out wherever it stands with one.
std::optional<std::string> take_option(std::vector<std::string>& options, const std::string& name);

/// main() of an emitted program, once its engine stands: reads the command line ([--steps N]
/// [--data NAME=PATH] [--log FILE] [--out DIR|FILE.npz] [--resume DIR|FILE] [--force] [--quiet]),
/// trains, prints the log lines on stdout and everything else on stderr, returns the exit status.
int training_main(Engine& engine, TrainPlan plan, const CommandLine& line);

}  // namespace mtfc::runtime
