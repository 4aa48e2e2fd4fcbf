// A command line that makes no sense: how to report it, why, and what helps.
#pragma once
#include <string>

#include "cli/options/options.h"

namespace mtfc::cli {

constexpr std::size_t longest_quote = 60;  // of what a command line has

struct Misuse {
  Options options;
  std::string message, help;
};

/// A mistake goes the way of all diagnostics: in the form that is asked for, wherever the command
/// line has that option. Without a `help` it names the help of the command.
Misuse misuse(const Options& parsed, std::string message, std::string help);

/// `word` is written where a command should be.
Misuse unknown_command(const Options& options, const std::string& word);

}  // namespace mtfc::cli
