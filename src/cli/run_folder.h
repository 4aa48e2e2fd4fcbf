// The folder of a training run: what was trained, how, and what came of it.
#pragma once
#include "cli/session.h"
#include "ir/model.h"
#include "support/mesh.h"

namespace mtfc::cli {

/// The folder of this run: --out, or the folder that is resumed; empty if nothing is saved.
std::string run_folder(const Session& session);

/// Makes the folder and writes what is known beforehand: model.mtf, layout.layout, run.json.
runtime::Status make_run_folder(const Session& session, const Model& model, const Mesh& mesh,
                                const std::string& path);

}  // namespace mtfc::cli
