// What a processor holds outside of training steps, where programs run that are none of a step.
#pragma once
#include "cost/pipeline_cost.h"

namespace mtfc::cost {

/// Into `cost`, which is that of the module's step: its `first_values_bytes` and, if the run
/// `evaluates`, its `evaluation_bytes`. A program that the module lacks counts nothing.
void count_beside_step(const Module& module, const SourceMap& sources, bool evaluates, Cost& cost);
/// Of each stage.
void count_beside_step(const PipelineModule& module, const SourceMap& sources, bool evaluates,
                       PipelineCost& cost);

}  // namespace mtfc::cost
