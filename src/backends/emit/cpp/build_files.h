// What stands beside emitted C++: how to build it and how to run it.
#pragma once
#include <string>
#include <vector>

#include "backends/emit/cpp/program_form.h"
#include "backends/emit/cpp/program_text.h"

namespace mtfc::backends {

/// `files`: of the program; what an earlier emission left in the folder is not among them.
std::string cmake_text(const Form& form, const std::vector<EmittedFile>& files);
std::string readme_text(const Form& form);
/// The rooms that run programs, and how they are compiled: runtime/.
std::vector<EmittedFile> runtime_files();

}  // namespace mtfc::backends
