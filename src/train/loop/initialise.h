// The values of variables before the first step.
#pragma once
#include "support/result.h"
#include "train/engine.h"
#include "train/train_plan.h"

namespace mtfc::runtime {

/// Runs the program "init"; then the parameters of `files` take the values found there. Float types
/// are converted. Called by all ranks, each of which reads. An error names the parameter and the
/// file; some parameters may have been set by then.
Status initialise(Engine& engine, const std::vector<InitialFile>& files);

}  // namespace mtfc::runtime
