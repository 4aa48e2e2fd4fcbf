// `emit --backend mpi`: a folder with straight-line C++ for one processor of the mesh, which calls
// the same runtime as the simulated mesh, and everything to build it: sources of the runtime, a
// CMakeLists.txt, a page on how to run it.
#pragma once
#include <string>
#include <vector>

#include "backends/mpi/program_text.h"
#include "ir/module.h"
#include "runtime/loop/train_plan.h"

namespace mtfc::backends {

/// `plan`: null for a model that is not trained; its program then says so and ends.
std::vector<EmittedFile> emit_mpi(const Module& module, const runtime::TrainPlan* plan,
                                  const SourceMap& sources);

/// The sources of the runtime, as they were when this compiler was built.
struct ShippedFile {
  const char* path;
  const char* text;
};
const std::vector<ShippedFile>& shipped_runtime();

}  // namespace mtfc::backends
