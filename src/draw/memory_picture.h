// What a processor's memory holds over a step.
#pragma once
#include "cost/cost.h"
#include "draw/picture.h"
#include "draw/step_scale.h"
#include "ir/module.h"

namespace mtfc::draw {

/// Bytes in use, by role, instruction by instruction through the programs of a step (one that runs
/// for each micro-batch once); below it what is alive at the peak. `cost`: of the step.
Picture memory_picture(const Module& module, const cost::Cost& cost, const SourceMap& sources,
                       const StepScale& scale, double columns);

}  // namespace mtfc::draw
