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

}  // namespace mtfc::runtime
