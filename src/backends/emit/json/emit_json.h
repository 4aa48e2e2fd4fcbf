// `emit --backend json`: a whole Module as JSON, for other tools. docs/emit-json.md is its manual.
#pragma once
#include <string>

#include "ir/module.h"
#include "train/train_plan.h"

namespace mtfc::backends {

/// Changes whenever a reader of the older form would be misled.
constexpr int kJsonSchema = 3;

/// `plan`: null for a model that is not trained.
std::string emit_json(const Module& module, const runtime::TrainPlan* plan,
                      const SourceMap& sources);

}  // namespace mtfc::backends
