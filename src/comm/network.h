// What processors need of a network, and nothing of how it is done: MPI is one way
// (comm/mpi/mpi_network.h). A network moves bytes; what is summed is summed by the runtime's own
// kernels, so that the bits do not depend on it, unless a layout asks for the library's sums.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include "kernels/spec.h"

namespace mtfc::runtime::net {

/// A transfer that may go on; what it reads and writes is left alone until it has ended.
struct Transfer {
  std::intptr_t handle = 0;
  bool open = false;
};

/// A set of ranks, numbered from 0; this rank is one of them. All members make the same calls in
/// the same order. Sizes are in bytes, or in elements of `unit` bytes where counts are lists.
class Channel {
 public:
  virtual ~Channel() = default;
  virtual int size() const = 0;
  virtual int number() const = 0;  // of this rank

  // With `later` a transfer may only be begun, by all members in the same order: *later is open
  // until it has ended, and lists live as long. Who cannot do that does it at once.

  /// all = everybody's `mine`, one after the other.
  virtual void all_gather(const void* mine, void* all, std::int64_t bytes,
                          Transfer* later = nullptr) = 0;
  /// Block number r of `from` goes to member r; what comes from r becomes block r of `to`.
  virtual void all_to_all(const void* from, void* to, std::int64_t bytes,
                          Transfer* later = nullptr) = 0;
  /// The same with blocks of different lengths, which begin at `places`.
  virtual void all_to_all(const void* from, const int* send_counts, const int* send_places,
                          void* to, const int* receive_counts, const int* receive_places, int unit,
                          Transfer* later = nullptr) = 0;
  virtual void all_gather(const void* mine, int count, void* all, const int* counts,
                          const int* places, int unit, Transfer* later = nullptr) = 0;
  /// `mine` goes to member `receiver`; what `sender` passes on fills `theirs`.
  virtual void pass(int receiver, const void* mine, int sender, void* theirs,
                    std::int64_t bytes) = 0;

  /// True once it has ended.
  virtual bool test(Transfer& transfer) { return !transfer.open; }
  virtual void wait(Transfer& /*transfer*/) {}

  // Sums in the library's own order.
  virtual bool can_add(DType, std::int64_t /*elements*/) const { return false; }
  /// y = the sum (maximum, minimum) of everybody's x, if it can_add that.
  virtual void all_reduce(const void* /*x*/, void* /*y*/, std::int64_t /*elements*/, DType, Combine,
                          Transfer* /*later*/) {}
  /// y = block number `number()` of that, of so many elements.
  virtual void reduce_scatter(const void* /*x*/, void* /*y*/, std::int64_t /*elements*/, DType,
                              Combine, Transfer* /*later*/) {}
};

/// All ranks of a run.
class Network {
 public:
  virtual ~Network() = default;
  virtual int ranks() const = 0;
  virtual int rank() const = 0;
  /// Ranks on this machine.
  virtual int ranks_here() const = 0;
  /// "Open MPI v4.1.4": which library moves the bytes.
  virtual const char* library() const = 0;
  /// The ranks of one `colour`, in ascending `order`. Every rank calls it.
  virtual std::unique_ptr<Channel> split(int colour, int order) = 0;
  /// The smallest (largest) number that any rank gives. Every rank calls it.
  virtual std::int64_t lowest(std::int64_t mine) = 0;
  virtual std::int64_t highest(std::int64_t mine) = 0;
  /// The same bytes on all ranks: those of rank 0.
  virtual void broadcast(void* data, std::int64_t bytes) = 0;
  /// From now on ranks watch each other, if this network can: when one of them has vanished without
  /// a word, lost(rank) is called on one of the others, on a thread of its own, and all of them end
  /// with status 3. Every rank calls it, once.
  virtual void watch(std::function<void(int rank)> lost) { static_cast<void>(lost); }
  /// Ends all ranks at once with this status; does not return. Of the ranks that call it at
  /// about the same time, one says why.
  [[noreturn]] virtual void abort(int status, const std::function<void()>& why) = 0;
};

/// The network of a process that runs by itself: one rank.
Network& alone();

}  // namespace mtfc::runtime::net
