// The lock of a folder, which one process at a time writes into.
#pragma once
#include <string>

#include "support/result.h"

namespace mtfc::runtime {

/// Held until it is destroyed. The kernel releases the lock of a process that ends in whatever way,
/// so none is ever left behind. Where a filesystem has no locks, none is held.
class FolderLock {
 public:
  static constexpr const char* file_name = ".mtfc.lock";

  /// The folder must be there. If another process holds the lock, the error names it.
  static Result<FolderLock> take(const std::string& folder);
  /// Whether no process holds it. Changes nothing.
  static Status is_free(const std::string& folder);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace mtfc::runtime
