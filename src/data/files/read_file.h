// Whole files into memory.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace mtfc::runtime {

using Bytes = std::vector<std::byte>;

/// Standard input may be a terminal, a device or a pipe that takes its time.
inline constexpr const char* standard_input = "/dev/stdin";

/// As the bytes are. Directories, devices, sockets and files beyond `limit` are errors that name
/// the path; so is a pipe through which nothing comes for ten seconds.
Result<Bytes> read_file(const std::string& path, std::size_t limit = std::size_t{1} << 36);
/// The same, decompressed if it is in gzip form (whatever its name).
Result<Bytes> read_maybe_gzip(const std::string& path, std::size_t limit = std::size_t{1} << 36);

/// Of `bytes`, which outlive it.
inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Reading ends with an error as soon as this says so; null: never. It may be asked at any time.
void interrupt_reading_if(bool (*signalled)());

/// "cannot read `path`: no such file or directory", from errno.
Error cannot(std::string_view what, const std::string& path, int error_number);

/// A rename lasts once its folder is on the disk. Where folders cannot be synced nothing is lost by
/// not doing it, so errors are none.
void sync_folder_of(const std::string& path);

}  // namespace mtfc::runtime
