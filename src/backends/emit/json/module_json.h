// A module as JSON: its mesh, dimensions, variables, inputs and programs.
#pragma once
#include "backends/emit/json/attributes.h"
#include "ir/module.h"
#include "messages/source_map.h"
#include "train/train_plan.h"

namespace mtfc::backends {

/// `plan`: null for a model that is not trained.
Json module_json(const Module& module, const runtime::TrainPlan* plan, const SourceMap& sources);

}  // namespace mtfc::backends
