// What a command makes of the stages of a layout.
#pragma once
#include <optional>
#include <string>

#include "cli/session/session.h"
#include "layout/check_summary.h"

namespace mtfc::cli {

/// Whether a command computes without stages, on the mesh of one of them.
bool runs_on_one_stage(const Options& options);

/// Why a command takes no layout with a pipeline at all, before it is asked whether the pipeline is
/// valid. Absent: it may.
std::optional<Diagnostic> refused_pipeline(const Options& options, const Layout& layout,
                                           const std::string& file);

/// Keeps them, takes them out of the assignment or refuses the layout, as the command's row
/// (command_rows.cpp) and its options say.
void judge_pipeline(Session& session, lowering::LayoutReport& report);

}  // namespace mtfc::cli
