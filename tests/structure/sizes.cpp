// Files of one idea and functions that fit on a page.
#include <catch2/catch.hpp>
#include <sstream>

#include "sources.h"

namespace structure_sizes_test {

using namespace mtfc::test;

namespace {

constexpr std::size_t max_file_lines = 400, max_function_lines = 75;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Whether a line stands at this depth of indentation and belongs to the code there.
bool begins_at(const std::string& line, std::size_t indent) {
  return line.find_first_not_of(' ') == indent && line[indent] != '#' && line[indent] != '}' &&
         line.compare(indent, 2, "//") != 0;
}

struct Function {
  std::string first_line;
  std::size_t lines = 0;
};

/// What clang-format ends by a brace alone at the depth of free functions, or of those in a class.
std::vector<Function> functions_of(const std::vector<std::string>& lines, std::size_t indent) {
  std::vector<Function> found;
  std::size_t first = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (begins_at(lines[i], indent)) first = i;
    if (lines[i] == std::string(indent, ' ') + "}") found.push_back({lines[first], i - first + 1});
  }
  return found;
}

}  // namespace

TEST_CASE("files are short", "[structure]") {
  for (const SourceText& file : files_below("src", {".h", ".cpp", ".inc", ".def"})) {
    INFO(file.path);
    CHECK(lines_of(file.text).size() <= max_file_lines);
  }
}

TEST_CASE("functions are short", "[structure]") {
  std::size_t count = 0;
  for (const SourceText& file : files_below("src", {".h", ".cpp", ".inc"})) {
    const std::vector<std::string> lines = lines_of(file.text);
    for (const std::size_t indent : {0, 2}) {
      for (const Function& function : functions_of(lines, indent)) {
        INFO(file.path << ": " << function.first_line);
        CHECK(function.lines <= max_function_lines);
        ++count;
      }
    }
  }
  CHECK(count > 2000);  // else the search is wrong
}

}  // namespace structure_sizes_test
