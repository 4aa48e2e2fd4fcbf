// What may not be written to: the files that a command reads, the files of runs, one file twice.
#pragma once
#include <string>
#include <vector>

#include "cli/session.h"
#include "ir/model.h"

namespace mtfc::cli {

/// The files and folders of the model's data, and the checkpoint that the command begins with.
std::vector<std::string> read_by(const Session& session, const Model& model);

/// Whether one of these outputs ("": none) would take the place of a text that this command reads,
/// of what lies at one of `reads`, of a file that runs keep in their folder, or of another output:
/// reported; the command ends with exit_usage. What is no regular file, as a device, may be named
/// freely.
bool outputs_clash(Session& session, const std::vector<std::string>& outputs,
                   const std::vector<std::string>& reads);

}  // namespace mtfc::cli
