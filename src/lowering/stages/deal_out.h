// The compiled parts of a pipeline, dealt out to its stages.
#pragma once
#include "lowering/stages/stage_states.h"
#include "pipeline/pipeline_module.h"

namespace mtfc::lowering {

/// After the last pass. A variable that no program reads or writes is in no stage.
PipelineModule deal_out(const StageStates& states);

/// All passes, for a layout with a pipeline.
PipelineModule lower_pipeline(const Model& model, const Assignment& assignment,
                              const Request& request);

}  // namespace mtfc::lowering
