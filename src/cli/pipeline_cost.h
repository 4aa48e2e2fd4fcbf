// `mtfc cost` of a layout with a pipeline.
#pragma once
#include "cli/compile.h"

namespace mtfc::cli {

/// Ends the command.
int cost_of_stages(Session& session, const Compiled& compiled);

}  // namespace mtfc::cli
