// A training plan as a C++ initialiser.
#pragma once
#include <string>

#include "train/train_plan.h"

namespace mtfc::backends {

std::string plan_text(const runtime::TrainPlan& plan);

}  // namespace mtfc::backends
