// The data flow of a step: lines of the model, what each makes, who needs it, and what is
// communicated for it.
#pragma once
#include "cost/cost.h"
#include "cost/line_shards.h"
#include "draw/picture.h"
#include "draw/step_scale.h"
#include "ir/module.h"

namespace mtfc::draw {

/// Lines in the order in which the forward pass computes them, instances of a block as one. On the
/// left, from each line to those that take what it makes; below it its shards, and its collectives
/// of all phases in the colour of the rule behind them. `cost`: of the step.
Picture flow_picture(const Module& module, const cost::Cost& cost,
                     const std::vector<cost::LineShard>& shards, const SourceMap& sources,
                     const StepScale& scale, double columns);

}  // namespace mtfc::draw
