// What a command makes of the stages of a layout.
#pragma once
#include "cli/session/session.h"
#include "layout/check_summary.h"

namespace mtfc::cli {

/// Whether a command computes without stages, on the mesh of one of them.
bool runs_on_one_stage(const Options& options);

/// Keeps them or takes them out of the assignment, as the command's row (command_rows.cpp) and its
/// options say.
void judge_pipeline(Session& session, lowering::LayoutReport& report);

}  // namespace mtfc::cli
