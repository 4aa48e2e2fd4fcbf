// What may not be written to: the files that a command reads, the files of runs, one file twice.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/session/session.h"
#include "data/files/output_form.h"
#include "ir/model.h"
#include "train/loop/run_files.h"

namespace mtfc::cli {

/// The files and folders of the model's data, its initial values, the layouts and the checkpoint
/// that the command begins with.
std::vector<std::string> read_by(const Session& session, const Model& model);

/// What a command writes; path "": nothing.
struct Output {
  std::string path;
  runtime::OutputForm form;
};

/// Asked before the work begins. Whether one of these outputs would take the place of a
/// text that this command reads, of what lies at one of `reads`, of a file that runs keep in their
/// folder, of a file of another kind or of another output, or cannot be written where it is named:
/// reported, and how the command ends. Absent: all may be written. What is no regular file, as a
/// device, may be named freely.
std::optional<int> refused_outputs(Session& session, const std::vector<Output>& outputs,
                                   const std::vector<std::string>& reads);

/// The same of what a training run writes into its folder: `texts`, of which one may be read and
/// written as it is, and the log.
std::optional<int> refused_run_files(Session& session, const Model& model,
                                     const std::vector<runtime::RunText>& texts);

}  // namespace mtfc::cli
