// Reading the command line.
#pragma once
#include <string>
#include <variant>

#include "cli/options.h"

namespace mtfc::cli {

/// A command line that makes no sense: how to report it, why, and what helps.
struct Misuse {
  Options options;
  std::string message, help;
};

/// What the command line asks for, or an exit status if everything was printed already (help).
std::variant<Options, Misuse, int> read_command_line(int argc, char** argv);

}  // namespace mtfc::cli
