// Whole files into memory, and whole files out of it.
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

/// A file that appears under its name whole or not at all, even if the machine stops: written
/// beside it, synced, renamed, and the folder synced.
class AtomicFile {
 public:
  static Result<AtomicFile> create(std::string path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();  // not committed: removed

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  std::size_t position() const { return position_; }
  /// Replaces what was written at `position`; for what is only known at the end, like a checksum.
  void overwrite(std::size_t position, std::string_view text);
  /// Failed writes are reported here.
  Status commit();

 private:
  AtomicFile(std::string path, std::string temporary, int descriptor);
  void write_through(const std::byte* data, std::size_t size);
  std::string path_, temporary_;
  int descriptor_ = -1;
  int failure_ = 0;  // errno of the first failed write
  std::size_t position_ = 0;
  Bytes buffer_;
};

/// A small text file, atomically.
Status write_text(const std::string& path, std::string_view text);

}  // namespace mtfc::runtime
