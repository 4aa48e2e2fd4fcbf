// `emit --backend mpi`: one MPI rank is one processor of the mesh.
#pragma once
#include "backends/emit/cpp/emit_cpp.h"

namespace mtfc::backends {

std::vector<EmittedFile> emit_mpi(const Module& module, const runtime::TrainPlan* plan,
                                  const SourceMap& sources);

}  // namespace mtfc::backends
