// Memory that the ranks of one machine share, in which each holds a lock for as long as it lives.
//
// A robust mutex (pthread_mutexattr_setrobust): when a process ends, however it ends, the kernel
// hands its mutexes on. Nothing is polled, and no clock is involved.
#pragma once
#include <mpi.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace mtfc::runtime::mpi {

/// What has been said of why all end, once.
class Said {
 public:
  /// True for the first one. `what` is the caller's.
  bool first(std::int32_t what) {
    std::int64_t nothing = 0;
    return word_.compare_exchange_strong(nothing, said | static_cast<std::uint32_t>(what));
  }
  /// After something was said.
  std::int32_t what() const { return static_cast<std::int32_t>(word_.load()); }

 private:
  static constexpr std::int64_t said = std::int64_t{1} << 32;
  std::atomic<std::int64_t> word_{0};
};

class Board {
 public:
  /// Called by all ranks of the machine; the calling thread holds its own lock from now on. Null,
  /// on all of them, where memory cannot be shared, or nobody shares this machine.
  static std::unique_ptr<Board> share(MPI_Comm machine);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  /// Blocks until the next rank gives its lock back; true if it ended without.
  bool next_vanishes();
  /// Gives the own lock back. On the thread that shared the board.
  void leave();

  Said& said() { return shared_->said; }

 private:
  struct Shared {
    Said said;
    pthread_mutex_t alive[1];  // as many as there are ranks
  };
  static std::size_t size_for(int ranks) {
    return sizeof(Shared) + static_cast<std::size_t>(ranks) * sizeof(pthread_mutex_t);
  }
  Board(Shared* shared, int number, int ranks) : shared_(shared), number_(number), ranks_(ranks) {}

  Shared* shared_;
  int number_, ranks_;
};

}  // namespace mtfc::runtime::mpi
