// Reading the command line.
#pragma once
#include <string>
#include <variant>

#include "cli/options/misuse.h"

namespace mtfc::cli {

/// What the command line asks for, or a text that answers it (help), for standard output.
std::variant<Options, Misuse, std::string> read_command_line(int argc, char** argv);

/// Whether something is named `-`, to be read from standard input.
bool reads_standard_input(const Options& options);

}  // namespace mtfc::cli
