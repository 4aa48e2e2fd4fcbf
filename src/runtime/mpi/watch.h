// Ranks of one machine that watch each other. A rank that is killed says nothing, and those that
// wait for it would wait as long as the launcher lets them.
//
// Every rank holds a robust mutex in memory that all of them share (pthread_mutexattr_setrobust),
// and a thread of the rank before it waits for that mutex. When a process ends, however it ends,
// the kernel hands its mutexes on: EOWNERDEAD. Nothing is polled, and no clock is involved.
#pragma once
#include <mpi.h>

#include <functional>
#include <memory>

namespace mtfc::runtime::mpi {

class Watch {
 public:
  /// Of the ranks of this machine; called by all ranks of the world. When one has vanished,
  /// lost(rank) is called on one of the others, and all of them end. Null where there is no shared
  /// memory to be had, or nobody to watch.
  static std::unique_ptr<Watch> start(std::function<void(int rank)> lost);
  /// An orderly end: waits for the others to come here, too. On the thread that started it.
  ~Watch();

  /// True on one rank of the machine, which is to say why all end. From now on nobody tells that a
  /// rank is gone. The others are kept for a while, so that it can.
  bool is_first();

 private:
  Watch() = default;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace mtfc::runtime::mpi
