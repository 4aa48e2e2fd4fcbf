// `emit --backend json`: a whole Module as JSON, for other tools. docs/emit-json.md is its manual.
#pragma once
#include <string>

#include "pipeline/pipeline_module.h"
#include "train/train_plan.h"

namespace mtfc::backends {

/// Changes whenever a reader of the older form would be misled.
constexpr int kJsonSchema = 3;

/// `plan`: null for a model that is not trained. `pipeline`: the same module dealt out to stages;
/// null for a layout without a pipeline. Of stages of different meshes there is no module together:
/// theirs are written.
std::string emit_json(const Module& module, const runtime::TrainPlan* plan,
                      const SourceMap& sources, const PipelineModule* pipeline = nullptr);

}  // namespace mtfc::backends
