// The repository's own files as test data.
#pragma once
#include <string>
#include <vector>

namespace mtfc::test {

struct SourceText {
  std::string path;  // relative to the root, with '/'
  std::string text;
};

/// All files below a folder of the repository with one of these endings, sorted.
std::vector<SourceText> files_below(const std::string& folder,
                                    const std::vector<std::string>& endings);

/// The text of one file of the repository.
std::string read_text(const std::string& path);

/// Whether `text` contains `word` with no letter, digit or underscore beside it.
bool has_word(const std::string& text, const std::string& word);

}  // namespace mtfc::test
