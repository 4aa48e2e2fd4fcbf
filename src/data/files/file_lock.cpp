#include "data/files/file_lock.h"

#include <sys/file.h>

#include <cerrno>

namespace mtfc::runtime {

bool is_locked_by_another(int descriptor, FileLock kind) {
  const int wanted = kind == FileLock::exclusive ? LOCK_EX : LOCK_SH;
  return ::flock(descriptor, wanted | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace mtfc::runtime
