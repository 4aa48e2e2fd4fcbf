// Where an output lies, and what it would replace: the same for commands and emitted programs.
#pragma once
#include <filesystem>
#include <string>

namespace mtfc::runtime {

/// Where a file is or would be, links followed, those to nothing as well.
std::filesystem::path location_of(const std::string& path);

/// By device and inode, if both are there.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Whether the output is the file that is read, or one in the folder that is.
bool is_within(const std::filesystem::path& output, const std::string& read);

// Why one is refused.
inline constexpr const char* refused_as_read = "is read by this command, and would be replaced";
inline constexpr const char* refused_as_run = "is where a run keeps its own files";
inline constexpr const char* refused_as_second = "is named for two outputs";

}  // namespace mtfc::runtime
