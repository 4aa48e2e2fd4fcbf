// The programs that pictures of a step show.
#pragma once
#include <vector>

#include "ir/module.h"

namespace mtfc::draw {

/// Those of a training step, each once; where there is nothing to train, the run.
std::vector<const Program*> programs_of(const Module& module);

}  // namespace mtfc::draw
