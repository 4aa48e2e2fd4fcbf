// main() of a program that runs all processors of the mesh by itself, on named devices.
#pragma once
#include <span>

#include "train/emitted/emitted_module.h"
#include "train/train_plan.h"

namespace mtfc::runtime {

/// A processor of the mesh and the device that its operations are placed on.
struct DeviceProcessor {
  const char* device;  // devices.h
};

/// Runs processor number i (row by row, the last axis fastest) on a thread of its own on the device
/// placed[i], and returns the exit status. Takes `--devices LIST`, which places them anew, and what
/// processor_main takes.
int placement_main(const EmittedModule& module, const TrainPlan& plan,
                   std::span<const DeviceProcessor> placed, int argc, char** argv);

}  // namespace mtfc::runtime
