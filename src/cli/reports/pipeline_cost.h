// `mtfc cost` of a layout with a pipeline.
#pragma once
#include "cli/run/budget.h"
#include "cli/session/compile.h"

namespace mtfc::cli {

/// Ends the command.
int cost_of_stages(Session& session, const Compiled& compiled,
                   const std::vector<BudgetLimit>& budget);

}  // namespace mtfc::cli
