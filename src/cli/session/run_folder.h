// The folder of a training run: what was trained, how, and what came of it.
#pragma once
#include "cli/session/session.h"
#include "ir/model.h"
#include "support/mesh.h"
#include "train/checkpoint/folder.h"
#include "train/loop/run_files.h"

namespace mtfc::cli {

/// The folder of this run: --out, or the folder that is resumed; empty if nothing is saved.
std::string run_folder(const Session& session);

/// A run that is resumed keeps the layout in its folder unless --layout or --rules say otherwise.
Options with_layout_of_run(Options options);

/// "mpirun -n 4 mtfc train --resume runs/a": what continues this run from its folder.
std::string resume_command(const Session& session, const std::string& folder);

/// What is known beforehand: model.mtf, layout.layout, run.json.
std::vector<runtime::RunText> run_texts(const Session& session, const Model& model,
                                        const Mesh& mesh);

}  // namespace mtfc::cli
