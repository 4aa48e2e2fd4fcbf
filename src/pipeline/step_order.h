// A training step of a pipeline as one list: the parts of its programs in the order of the
// schedule.
#pragma once
#include "pipeline/pipeline_module.h"

namespace mtfc::pipeline {

/// Programs that run once, or have no backward pass, go part after part; those with both passes as
/// the schedule says, one entry for each part and micro-batch (`StepProgram::only`).
std::vector<StepProgram> step_order(const PipelineModule& module);

}  // namespace mtfc::pipeline
