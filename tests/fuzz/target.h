// What fuzz targets have in common: an input is a text in sections, a target is a function that
// must return. What must not be is said by wrong(), which ends the process.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mtfc::fuzz {

#define MTFC_FUZZ_TARGET(name) void name(std::string_view input);
#include "fuzz/targets.def"
#undef MTFC_FUZZ_TARGET

/// What stands before the first line that begins with `%%` has no name; each such line names what
/// follows it, up to the end of line before the next one.
using Sections = std::vector<std::pair<std::string, std::string>>;
Sections sections_of(std::string_view input);
/// The first section of that name; "" if there is none.
std::string section(const Sections& sections, std::string_view name);

/// What is in a file, byte for byte.
std::string file_text(const std::string& path);
/// Writes a file in a folder that belongs to this process; its path.
std::string scratch_file(const std::string& name, std::string_view bytes);
std::string scratch_folder();

/// Ends the process so that the input is kept.
[[noreturn]] void wrong(const std::string& what);
inline void require(bool holds, const std::string& what) {
  if (!holds) wrong(what);
}

}  // namespace mtfc::fuzz
