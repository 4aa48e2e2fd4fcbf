// A pipeline as what runs it needs to know it.
#pragma once
#include "pipeline/pipeline_module.h"
#include "train/pipeline_plan.h"

namespace mtfc::backends {

runtime::PipelinePlan plan_of(const PipelineModule& module);

}  // namespace mtfc::backends
