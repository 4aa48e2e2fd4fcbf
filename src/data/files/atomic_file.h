// Files that are written whole.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "data/files/output_target.h"
#include "data/files/read_file.h"

namespace mtfc::runtime {

/// A file that appears under its name whole or not at all, even if the machine stops: written
/// beside it, synced, renamed, and the folder synced. A link stays: the file that it leads to is
/// replaced. Mode and owner stay, too. A device or a pipe is written to as it is.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::string& path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();  // not committed: removed

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  std::size_t position() const { return position_; }
  /// Failed writes are reported here.
  Status commit();

 private:
  AtomicFile(OutputTarget target, std::string temporary, int descriptor);
  void write_through(const std::byte* data, std::size_t size);
  int replace() const;
  OutputTarget target_;
  std::string temporary_;  // empty: a stream
  int descriptor_ = -1;
  int failure_ = 0;  // errno of the first failed write
  std::size_t position_ = 0;
  Bytes buffer_;
};

/// A small text file, atomically.
Status write_text(const std::string& path, std::string_view text);

}  // namespace mtfc::runtime
