// The folder of a training run: what was trained, how, and what came of it.
#pragma once
#include "cli/machine.h"
#include "cli/session.h"
#include "ir/model.h"

namespace mtfc::cli {

/// Makes the folder and writes what is known beforehand: model.mtf, layout.layout, run.json.
runtime::Status make_run_folder(const Session& session, const Model& model,
                                const std::string& path);

/// The model's parameters and states by path; what optimisers and evaluations keep is left out.
runtime::Status save_parameters(Machine& machine, const std::string& path);

}  // namespace mtfc::cli
