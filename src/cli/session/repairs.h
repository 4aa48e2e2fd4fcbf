// mtfc check --fix: the repairs that diagnostics propose, each tried before it is kept.
#pragma once
#include "cli/session/session.h"

namespace mtfc::cli {

/// Repairs the model and the layouts named on the command line, in place, as far as every single
/// repair leaves fewer mistakes. Notes what was changed. False: reported, a file cannot be written.
bool repair_files(Session& session);

}  // namespace mtfc::cli
