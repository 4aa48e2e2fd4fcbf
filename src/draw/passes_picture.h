// The classical picture of a pipeline: its stages one below the other, the passes of micro-batches
// over time.
#pragma once
#include "cost/pipeline_cost.h"
#include "draw/picture.h"

namespace mtfc::draw {

struct PassesScale {
  double span = 0;       // what the width stands for, in the unit of the passes' times
  bool seconds = false;  // that unit; else only ratios are known
};

/// A row for each stage: a box for each pass, with the micro-batch in it where there is room,
/// forward and backward in colours of their own, for each chunk. Below, what the stages hold.
Picture passes_picture(const pipeline::Shape& shape, const std::vector<pipeline::TimedTask>& passes,
                       const cost::PipelineCost& cost, const PassesScale& scale, double columns);

}  // namespace mtfc::draw
