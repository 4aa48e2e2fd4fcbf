// Memory that the ranks of one machine share, in which each rank holds a lock for as long as it
// runs.
//
// The locks are robust mutexes (pthread_mutexattr_setrobust): when a process ends in whatever way,
// the kernel passes its mutexes on to the waiting process. Nothing is polled, no clock is involved.
#pragma once
#include <mpi.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace mtfc::runtime::mpi {

/// Why all ranks exit. Of several ranks that want to report it, the first one does.
class FirstReporter {
 public:
  /// True for the first call. `cause` is kept; its meaning is the caller's.
  bool claim(std::int32_t cause) {
    std::int64_t unclaimed = 0;
    return word_.compare_exchange_strong(unclaimed, claimed | static_cast<std::uint32_t>(cause));
  }
  /// Of the first call.
  std::int32_t cause() const { return static_cast<std::int32_t>(word_.load()); }

 private:
  static constexpr std::int64_t claimed = std::int64_t{1} << 32;
  std::atomic<std::int64_t> word_{0};
};

class LivenessLocks {
 public:
  /// Called by all ranks of the machine; the calling thread holds its rank's lock from now on.
  /// Null, on all of them, if memory cannot be shared or there is only one rank.
  static std::unique_ptr<LivenessLocks> share(MPI_Comm machine);
  ~LivenessLocks();
  LivenessLocks(const LivenessLocks&) = delete;
  LivenessLocks& operator=(const LivenessLocks&) = delete;

  /// Blocks until the rank at this distance, further on in the ring of all, gives up its lock; true
  /// if it ended without releasing it. Then this process must end, which tells the others.
  bool wait_for(int distance);
  /// Releases the lock of this rank. On the thread that called share.
  void release();

  int ranks() const { return ranks_; }
  FirstReporter& reporter() { return shared_->reporter; }

 private:
  struct Shared {
    FirstReporter reporter;
    pthread_mutex_t alive[1];  // one for each rank
  };
  static std::size_t size_for(int ranks) {
    return sizeof(Shared) + static_cast<std::size_t>(ranks) * sizeof(pthread_mutex_t);
  }
  LivenessLocks(Shared* shared, int number, int ranks)
      : shared_(shared), number_(number), ranks_(ranks) {}

  Shared* shared_;
  int number_, ranks_;
};

}  // namespace mtfc::runtime::mpi
