// Locks on open files (flock(2)). The kernel releases them with the process.
#pragma once

namespace mtfc::runtime {

enum class FileLock { exclusive, shared };

/// Takes the lock, unless another process has one that excludes it: then true. Where the filesystem
/// has no locks nobody has one.
bool is_locked_by_another(int descriptor, FileLock kind);

}  // namespace mtfc::runtime
