// What a training run has to show for itself, as text and as JSON.
#pragma once
#include <string>

#include "cli/run/execution.h"
#include "train/loop/train_loop.h"

namespace mtfc::cli {

/// "200 steps: loss 0.5554; eval loss 0.02508, accuracy 0.992", as a line.
std::string train_summary(const runtime::TrainResult& result);

/// Called by all ranks.
JsonFields train_json(const Session& session, const runtime::TrainResult& result,
                      const runtime::TrainPlan& plan, Execution& execution);

}  // namespace mtfc::cli
