// Detects ranks that were killed or crashed. Such a rank sends nothing, and the ranks that wait for
// it would wait as long as the launcher lets them.
//
// On one machine each rank waits for the lock of the next rank (liveness_locks.h), and then for
// those of the others: a launcher ends all ranks when one exits with an error, so none exits before
// all have shut down. The first rank of every machine has a connection to rank 0
// (peer_connections.h): it carries the failures that a machine detects, and when it breaks, the
// rank at the other end has failed.
#pragma once
#include <functional>
#include <memory>

namespace mtfc::runtime::mpi {

class FailureDetector {
 public:
  /// Called by all ranks of the world. When a rank has failed, lost(rank) is called on one of the
  /// others, on a thread of its own, and all of them exit. Null where no rank can be watched.
  static std::unique_ptr<FailureDetector> start(std::function<void(int rank)> lost);
  /// Orderly shutdown: waits until the others are destroyed, too. On the thread that started it.
  ~FailureDetector();

  /// True on the one rank of the machine that is to report why all ranks abort; if several machines
  /// ask at about the same time, on one rank of rank 0's machine. Afterwards no failure is reported
  /// any more. The other ranks are delayed, so that the report can be printed.
  bool is_first_reporter();

 private:
  FailureDetector() = default;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mtfc::runtime::mpi
