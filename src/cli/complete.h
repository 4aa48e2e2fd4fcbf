// What a word of the command line may become: for the completion of shells.
#pragma once
#include <string>
#include <vector>

namespace mtfc::cli {

/// The words that may stand in place of the last of `words`, the first of which is the program.
/// None where files are meant: shells know these themselves. A model among the words is read for
/// the names of its dimensions and data.
std::vector<std::string> completions(std::vector<std::string> words);

}  // namespace mtfc::cli
