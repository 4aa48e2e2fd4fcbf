// The commands and their options as data: what the reader of the command line, --help, the
// completion of shells and the man page read.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/row_types.h"

namespace mtfc::cli {

const std::vector<CommandRow>& command_rows();
std::vector<std::string> command_names();
/// Null if there is none so named.
const CommandRow* find_command(std::string_view name);
/// By its name or its letter; null if the command has none so named.
const OptionRow* find_option(const CommandRow& command, std::string_view name);

}  // namespace mtfc::cli
