// Ranks that watch each other. A rank that is killed says nothing, and those that wait for it would
// wait as long as the launcher lets them.
//
// On a machine each rank waits for the lock of the next one (board.h). The first ranks of all
// machines are connected to rank 0 (links.h): what one machine misses it says there, and the rank
// at the other end is missed when its connection ends.
#pragma once
#include <functional>
#include <memory>

namespace mtfc::runtime::mpi {

class Watch {
 public:
  /// Called by all ranks of the world. When one has vanished, lost(rank) is called on one of the
  /// others, and all of them end. Null where nobody can be watched.
  static std::unique_ptr<Watch> start(std::function<void(int rank)> lost);
  /// An orderly end: waits for the others to come here, too. On the thread that started it.
  ~Watch();

  /// True on one rank of the machine, which is to say why all end; where several machines ask at
  /// about the same time, on one of rank 0's. From now on nobody tells that a rank is gone. The
  /// others are kept for a while, so that it can.
  bool is_first();

 private:
  Watch() = default;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace mtfc::runtime::mpi
