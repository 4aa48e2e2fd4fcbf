#include "sources.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace mtfc::test {

std::vector<SourceText> files_below(const std::string& folder,
                                    const std::vector<std::string>& endings) {
  namespace fs = std::filesystem;
  const fs::path root(MTFC_SOURCE_DIR);
  std::vector<SourceText> found;
  if (!fs::exists(root / folder)) return found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
    const std::string ending = entry.path().extension().string();
    if (!entry.is_regular_file()) continue;
    if (std::find(endings.begin(), endings.end(), ending) == endings.end()) continue;
    const std::string path = fs::relative(entry.path(), root).generic_string();
    found.push_back({path, read_text(path)});
  }
  std::sort(found.begin(), found.end(),
            [](const SourceText& a, const SourceText& b) { return a.path < b.path; });
  return found;
}

std::string read_text(const std::string& path) {
  std::ifstream file(std::filesystem::path(MTFC_SOURCE_DIR) / path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool has_word(const std::string& text, const std::string& word) {
  const auto is_letter = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t i = text.find(word); i != text.npos; i = text.find(word, i + 1)) {
    const std::size_t end = i + word.size();
    const bool begins = i == 0 || !is_letter(text[i - 1]);
    if (begins && (end == text.size() || !is_letter(text[end]))) return true;
  }
  return false;
}

}  // namespace mtfc::test
