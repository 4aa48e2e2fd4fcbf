// What an emitted program may not write to: files that it reads, files of runs, one file twice.
#pragma once
#include <string>

#include "support/result.h"
#include "train/train_plan.h"

namespace mtfc::runtime {

/// What a program writes. "": none.
struct OutputFiles {
  std::string log;
  std::string archive;  // the variables at the end
  std::string folder;   // of the run
};

/// Asked before anything is opened for writing: why one of the files may not be written. `resumed`
/// is the checkpoint or the folder that is resumed. What is no regular file, as a device,
/// may be named freely.
Status can_replace(const OutputFiles& outputs, const TrainPlan& plan, const std::string& resumed);

}  // namespace mtfc::runtime
