// main() of emitted programs.
#pragma once
#include "train/engine.h"
#include "train/loop/emitted_options.h"

namespace mtfc::runtime {

/// Once its engine stands: trains, prints the log lines on stdout and everything else on stderr,
/// returns the exit status. `line`: for the command that continues an interrupted run.
int training_main(Engine& engine, const TrainPlan& plan, const EmittedOptions& options,
                  const CommandLine& line);

}  // namespace mtfc::runtime
