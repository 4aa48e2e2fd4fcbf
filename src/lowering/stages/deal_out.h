// The compiled parts of a pipeline, dealt out to its stages.
#pragma once
#include "lowering/pipeline.h"
#include "pipeline/pipeline_module.h"

namespace mtfc::lowering {

/// After the last pass, of stages that have one mesh. A variable that no program reads or writes is
/// in no stage.
PipelineModule deal_out(State state);

/// All passes, for a layout with a pipeline. Stages with meshes of their own are lowered one by
/// one once the graphs are cut.
PipelineModule lower_pipeline(const Model& model, const Assignment& assignment,
                              const Request& request);

}  // namespace mtfc::lowering
