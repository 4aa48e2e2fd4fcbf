// main() of emitted programs.
#pragma once
#include "runtime/emitted/module.h"
#include "runtime/loop/train_plan.h"

namespace mtfc::runtime {

/// Starts MPI, checks that there is one rank for each processor of the mesh, trains, and returns
/// the exit status. Takes `--threads N` (per rank) and what training_main takes.
int program_main(const EmittedModule& module, TrainPlan plan, int argc, char** argv);

}  // namespace mtfc::runtime
