// The passes, with the dumps that --dump-after prints and --start-from reads.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/session/session.h"
#include "ir/model.h"
#include "lowering/stages/stage_states.h"

namespace mtfc::cli {

/// Runs the passes, honouring --start-from, --dump-after and --verify-passes. Absent: the command
/// ends with `status` (the dump was all that was wanted, or the file to start from is not a dump).
std::optional<lowering::StageStates> states_for(Session& session, const Model& model,
                                                const Assignment& assignment,
                                                const lowering::Request& request, int& status);

/// What --dump-after takes.
std::vector<std::string> dump_names();

}  // namespace mtfc::cli
