#include "fuzz/target.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "unit/support/scratch_folder.h"

namespace mtfc::fuzz {

namespace {

namespace fs = std::filesystem;

/// A disk is slower than most targets.
fs::path fast_folder() {
  const fs::path memory = "/dev/shm";
  return ::access(memory.c_str(), W_OK) == 0 ? memory : fs::temp_directory_path();
}

}  // namespace

Sections sections_of(std::string_view input) {
  Sections sections{{"", ""}};
  while (true) {
    const std::size_t mark = input.rfind("%%", 0) == 0 ? 0 : input.find("\n%%");
    sections.back().second = std::string(input.substr(0, mark));
    if (mark == input.npos) return sections;
    input.remove_prefix(mark + (input[mark] == '\n' ? 3 : 2));
    const std::size_t end = std::min(input.find('\n'), input.size());
    sections.emplace_back(std::string(input.substr(0, end)), "");
    input.remove_prefix(std::min(end + 1, input.size()));
  }
}

std::string section(const Sections& sections, std::string_view name) {
  for (const auto& [of, text] : sections)
    if (of == name) return text;
  return "";
}

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string scratch_folder() {
  static const ScratchFolder scratch(fast_folder());
  return scratch.path();
}

std::string scratch_file(const std::string& name, std::string_view bytes) {
  const std::string path = scratch_folder() + "/" + name;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool written =
      file >= 0 && ::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  if (file < 0 || ::close(file) != 0 || !written) wrong("cannot write " + path);
  return path;
}

void wrong(const std::string& what) {
  std::fflush(stdout);
  std::fprintf(stderr, "wrong: %s\n", what.c_str());
  std::abort();
}

}  // namespace mtfc::fuzz
