// A file that is read here and there, without holding it in memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "support/result.h"

namespace mtfc::runtime {

class RandomFile {
 public:
  /// Regular files only: what has no size and no places is an Error.
  static Result<RandomFile> open(std::string path);
  RandomFile(RandomFile&& other) noexcept;
  RandomFile& operator=(RandomFile&&) = delete;
  ~RandomFile();

  const std::string& path() const { return path_; }
  std::int64_t size() const { return size_; }  // in bytes, when it was opened
  /// It begins as gzip files do, so that places in it mean nothing: for read_maybe_gzip.
  bool is_compressed() const;
  /// Fills `to` from byte `from` on. A file that has become shorter since is an Error.
  Status read(std::int64_t from, std::span<std::byte> to) const;

 private:
  RandomFile(std::string path, int descriptor, std::int64_t size);
  std::string path_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace mtfc::runtime
