// Reading the command line.
#pragma once
#include <variant>

#include "cli/misuse.h"

namespace mtfc::cli {

/// What the command line asks for, or an exit status if everything was printed already (help).
std::variant<Options, Misuse, int> read_command_line(int argc, char** argv);

}  // namespace mtfc::cli
