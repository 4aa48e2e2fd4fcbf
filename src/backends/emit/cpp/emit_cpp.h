// A folder with straight-line C++ for one processor of the mesh, which calls the same runtime as
// the simulated mesh, and everything to build it: sources of the runtime, a CMakeLists.txt, a page
// on how to run it. Backends differ in who runs the processors: their Form.
#pragma once
#include <string>
#include <vector>

#include "backends/emit/cpp/program_form.h"
#include "backends/emit/cpp/program_text.h"
#include "ir/module.h"

namespace mtfc::backends {

/// The program of a model that is not trained says so and ends.
std::vector<EmittedFile> emit_cpp(const Form& form, const Emission& emission);

}  // namespace mtfc::backends
