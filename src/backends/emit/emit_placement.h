// `emit --backend placement`: one program that runs every processor of the mesh, each on a named
// device. The counterpart of Mesh-TensorFlow's placement_mesh_impl (docs/emit.md).
#pragma once
#include <string>
#include <vector>

#include "backends/emit/cpp/emit_cpp.h"

namespace mtfc::backends {

/// `devices`: as in train/emitted/devices.h; processors are shared out among them in order. None:
/// one for each processor.
std::vector<EmittedFile> emit_placement(const Module& module, const runtime::TrainPlan* plan,
                                        const SourceMap& sources,
                                        const std::vector<std::string>& devices);

}  // namespace mtfc::backends
