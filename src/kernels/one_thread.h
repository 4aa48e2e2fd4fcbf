// The pool of kernels that run inside a task of another one.
#pragma once
#include "kernels/pool.h"

namespace mtfc::runtime {

/// Any number of threads may use it at once: each runs its tasks itself.
inline Pool& one_thread() {
  static Pool pool(1);
  return pool;
}

}  // namespace mtfc::runtime
