// A folder with straight-line C++ for one processor of the mesh, which calls the same runtime as
// the simulated mesh, and everything to build it: sources of the runtime, a CMakeLists.txt, a page
// on how to run it. Backends differ in who runs the processors: their Form.
#pragma once
#include <string>
#include <vector>

#include "backends/emit/cpp/program_text.h"
#include "ir/module.h"
#include "train/loop/train_plan.h"

namespace mtfc::backends {

/// What a backend adds to what all of them write.
struct Form {
  // --- CMakeLists.txt
  std::string find;     // lines that find packages
  std::string sources;  // of the shipped ones, those that belong to the program, not the runtime
  std::string targets;  // that the program links
  // --- README.md
  std::string needs;      // "an MPI library, "
  std::string run;        // the commands after the build, and what they are
  std::string options;    // more of them
  std::string who;        // "Every rank is one processor of the mesh and runs the same code."
  std::string configure;  // options of cmake
  // --- main.cpp
  std::string includes;
  std::string tables;     // beside `module` and `plan`
  std::string main_body;  // of main(argc, argv)
};

/// `plan`: null for a model that is not trained; its program then says so and ends.
std::vector<EmittedFile> emit_cpp(const Form& form, const Module& module,
                                  const runtime::TrainPlan* plan, const SourceMap& sources);

}  // namespace mtfc::backends
