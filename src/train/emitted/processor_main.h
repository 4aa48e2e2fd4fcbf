// What main() of an emitted program does on each processor of the mesh.
#pragma once
#include "comm/network.h"
#include "train/emitted/emitted_module.h"
#include "train/loop/train_loop.h"
#include "train/train_plan.h"

namespace mtfc::runtime {

/// Checks that there is one rank for each processor of the mesh, trains, and returns the exit
/// status. Takes `--threads N` (per rank) and what training_main takes. Every rank calls it.
int processor_main(const EmittedModule& module, TrainPlan plan, net::Network& network,
                   CommandLine line);
int processor_main(const EmittedModule& module, TrainPlan plan, net::Network& network, int argc,
                   char** argv);

}  // namespace mtfc::runtime
