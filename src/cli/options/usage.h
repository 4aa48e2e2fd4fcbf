// What `mtfc` alone prints, and `mtfc COMMAND --help`.
#pragma once
#include <string>

#include "cli/options/command_rows.h"

namespace mtfc::cli {

/// Of standard output: the terminal's, if it is one, else 80.
std::size_t output_columns();
/// What an option does, with the words that it takes.
std::string explained(const OptionRow& row);
std::string first_screen();
std::string command_help(const CommandRow& command);

}  // namespace mtfc::cli
