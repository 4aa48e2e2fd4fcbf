// `mtfc cost` of several layouts: a row for each.
#pragma once
#include "cli/session/session.h"

namespace mtfc::cli {

/// Ends the command.
int cost_of_several(Session& session);

}  // namespace mtfc::cli
