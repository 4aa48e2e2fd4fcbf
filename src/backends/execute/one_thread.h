// The pool of kernels that run inside a task of another one.
#pragma once
#include "kernels/pool.h"

namespace mtfc::backends {

/// Any number of threads may use it at once: each runs its tasks itself.
inline runtime::Pool& one_thread() {
  static runtime::Pool pool(1);
  return pool;
}

}  // namespace mtfc::backends
