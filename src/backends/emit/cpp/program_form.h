// How emitted C++ is built and run: what differs between backends.
#pragma once
#include <string>

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

}  // namespace mtfc::backends
