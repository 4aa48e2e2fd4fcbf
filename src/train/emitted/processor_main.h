// What main() of an emitted program does on each processor of the mesh.
#pragma once
#include <system_error>

#include "comm/network.h"
#include "train/emitted/emitted_module.h"
#include "train/loop/emitted_options.h"
#include "train/train_plan.h"

namespace mtfc::runtime {

/// Checks that there is one rank for each processor of the mesh, trains, and returns the exit
/// status. Takes `--threads N` (per rank) and what training_main takes. Every rank calls it.
int processor_main(const EmittedModule& module, TrainPlan plan, net::Network& network,
                   CommandLine line);
int processor_main(const EmittedModule& module, TrainPlan plan, net::Network& network, int argc,
                   char** argv);

/// Of a limit on processes or on memory.
void print_threads_refused(const std::system_error& error);

}  // namespace mtfc::runtime
