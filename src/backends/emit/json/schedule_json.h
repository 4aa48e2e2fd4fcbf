// Which program runs when, as JSON.
#pragma once
#include "backends/emit/json/attributes.h"
#include "pipeline/pipeline_module.h"
#include "train/train_plan.h"

namespace mtfc::backends {

/// `plan`: null for a model that is not trained. `pipeline`: null for a layout without; with one
/// the programs are parts of stages.
Json schedule_json(const Module& module, const PipelineModule* pipeline,
                   const runtime::TrainPlan* plan);

/// The stages, their parts and what crosses between them.
Json pipeline_json(const PipelineModule& pipeline);

}  // namespace mtfc::backends
