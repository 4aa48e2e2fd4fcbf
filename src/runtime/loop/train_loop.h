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
#include <string>
#include <utility>
#include <vector>

#include "runtime/engine.h"
#include "runtime/files/result.h"
#include "runtime/loop/train_plan.h"

namespace mtfc::runtime {

/// Exit statuses of a training run.
enum : int {
  status_done = 0,
  status_failed = 3,         // data, files, a loss that is not a number
  status_interrupted = 130,  // SIGINT; SIGTERM gives 143
  status_terminated = 143,
};

/// All optional. Called on the root only, except `save`, which every rank calls.
struct TrainHooks {
  /// One line of the log, a JSON object without its line end.
  std::function<void(const std::string& line)> log;
  /// At checkpoint_every, after the last step, and when interrupted.
  std::function<Status(std::int64_t steps_done, bool last)> save;
  /// What the last step fetched, in program order.
  std::function<void(std::int64_t steps_done, const std::vector<Fetched>& fetched)> after_step;
  /// Show progress on stderr: a moving line on a terminal, plain lines elsewhere.
  bool progress = false;
};

struct TrainResult {
  int status = status_done;
  Error error;  // if status is status_failed
  std::int64_t steps = 0;
  double loss = 0, eval_loss = 0;  // the last ones
  bool evaluated = false;
  std::vector<std::pair<std::string, double>> metrics;  // of the last evaluation
};

TrainResult run_training(Engine& engine, const TrainPlan& plan, const TrainHooks& hooks);

/// Every variable under its path, in global form. Called by all ranks; the root writes.
Status save_variables(Engine& engine, const std::string& path);

/// main() of an emitted program, once its engine stands: reads the command line ([--steps N]
/// [--data NAME=PATH] [--log FILE] [--out FILE.npz]), trains, prints the log lines on stdout and
/// everything else on stderr, returns the exit status.
int training_main(Engine& engine, TrainPlan plan, int argc, char** argv);

}  // namespace mtfc::runtime
