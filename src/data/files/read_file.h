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

/// As the bytes are. Directories, and files beyond `limit`, are errors that name the path.
Result<Bytes> read_file(const std::string& path, std::size_t limit = std::size_t{1} << 36);
/// The same, decompressed if it is in gzip form (whatever its name).
Result<Bytes> read_maybe_gzip(const std::string& path, std::size_t limit = std::size_t{1} << 36);

/// "cannot read `path`: no such file or directory", from errno.
Error cannot(std::string_view what, const std::string& path, int error_number);

/// A rename lasts once its folder is on the disk. Where folders cannot be synced nothing is lost by
/// not doing it, so errors are none.
void sync_folder_of(const std::string& path);

}  // namespace mtfc::runtime
