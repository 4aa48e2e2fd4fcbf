// A new file that several processes write at places of their own, under a name that is not yet its
// last one: who made it renames it when all have written.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "support/result.h"

namespace mtfc::runtime {

class OffsetFile {
 public:
  /// `path`: what the file will be called, for messages. `name`: what it is called now.
  static Result<OffsetFile> create(std::string path, std::string name, std::int64_t size);
  /// A file that another process has created. Absent with errno ENOENT if it is not to be seen
  /// here.
  static Result<OffsetFile> join(std::string path, const std::string& name);
  OffsetFile(OffsetFile&& other) noexcept;
  OffsetFile& operator=(OffsetFile&&) = delete;
  ~OffsetFile();

  void write(std::int64_t offset, std::span<const std::byte> bytes);
  /// What was written is on the disk. Failed writes are reported here.
  Status close();

 private:
  OffsetFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::string path_;
  int descriptor_ = -1;
  int failure_ = 0;  // errno of the first failed write
};

/// "PATH.writing-": what is not whole yet; `is_unfinished` knows such names again, for those that
/// an interrupted run left behind.
std::string unfinished_name(const std::string& path);
bool is_unfinished(const std::string& name);

/// Gives a file or folder its last name, in the place of what had it before, and syncs the folder.
Status rename_over(const std::string& name, const std::string& path);
/// Removes a folder so that it is never half there under its name.
void remove_folder(const std::string& path);

}  // namespace mtfc::runtime
