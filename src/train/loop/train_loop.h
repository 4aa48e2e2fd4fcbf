// The training loop: one for the simulated mesh, for MPI ranks and for emitted programs.
//
// It runs the engine's programs: "init" once; those of the plan's step for each step (step.h), fed
// with the inputs and "run.step" (i32, from 0); at evaluations "eval_begin", "eval" for each batch,
// fed with the inputs and "run.examples" (i32, how many of the batch are real), and "eval_finish".
// The value fetched as (loss, "loss") is the total that is minimised. Every rank feeds the same
// whole batches.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/feeder.h"
#include "support/exit_status.h"
#include "support/result.h"
#include "train/checkpoint/train_state.h"
#include "train/engine.h"
#include "train/loop/train_hooks.h"
#include "train/train_plan.h"

namespace mtfc::runtime {

/// The message of a rank that ends because another one failed, which tells the reason.
inline constexpr const char* failed_elsewhere = "another processor failed";

struct TrainResult : TrainState {
  int status = exit_done;
  std::vector<Fetched> losses;      // of the last step that was run, if the run did not fail
  std::vector<Fetched> evaluation;  // what the last one fetched
  Feeder::Amount read;              // of the data, by this process
  Error error;                      // if it failed(); the same on all ranks

  bool failed() const { return status == exit_failed || status == exit_not_finite; }
};

/// "ended by SIGTERM after step 250": of a run with exit_signal or more.
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

/// `--steps=3` as two words.
std::vector<std::string> without_equals(std::vector<std::string> words);

/// The last argument of an option, which is taken out wherever it stands with one.
std::optional<std::string> take_option(std::vector<std::string>& options, const std::string& name);

/// Before there is an engine, on all ranks: `--help` is answered, and what is wrong with options
/// reported; then this is the exit status. Absent: the program is to run.
std::optional<int> answer_options(const CommandLine& line, TrainPlan plan, net::Network& network);

/// main() of an emitted program, once its engine stands: reads the command line ([--steps N]
/// [--data NAME=PATH] [--log FILE] [--out DIR|FILE.npz] [--resume DIR|FILE] [--force] [--quiet]),
/// trains, prints the log lines on stdout and everything else on stderr, returns the exit status.
int training_main(Engine& engine, TrainPlan plan, const CommandLine& line);

}  // namespace mtfc::runtime
