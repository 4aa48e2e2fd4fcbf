// What ranks need of a network, independent of its implementation; MPI is one
// (comm/mpi/mpi_network.h). A network moves bytes; sums are computed by the runtime's own kernels,
// so that their bits do not depend on it, unless a layout asks for the library's sums.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include "support/combine.h"
#include "support/dtype.h"

namespace mtfc::runtime::net {

/// An asynchronous transfer. Its buffers must not be touched until it has ended.
struct Transfer {
  std::intptr_t handle = 0;
  bool open = false;
};

/// A set of ranks, numbered from 0; this rank is one of them. All members make the same calls in
/// the same order. Sizes are in bytes; counts and offsets in lists, in elements of `unit` bytes.
class Channel {
 public:
  virtual ~Channel() = default;
  virtual int size() const = 0;
  virtual int number() const = 0;  // of this rank

  // With `async` a collective may only be started, by all members in the same order: *async is open
  // until it has ended, and lists must live as long. An implementation may also complete at once.

  /// all = the concatenation of `mine` of all members.
  virtual void all_gather(const void* mine, void* all, std::int64_t bytes,
                          Transfer* async = nullptr) = 0;
  /// Block r of `from` goes to member r; what comes from member r becomes block r of `to`.
  virtual void all_to_all(const void* from, void* to, std::int64_t bytes,
                          Transfer* async = nullptr) = 0;
  /// The same with blocks of different lengths, which begin at the offsets.
  virtual void all_to_all(const void* from, const int* send_counts, const int* send_offsets,
                          void* to, const int* receive_counts, const int* receive_offsets, int unit,
                          Transfer* async = nullptr) = 0;
  virtual void all_gather(const void* mine, int count, void* all, const int* counts,
                          const int* offsets, int unit, Transfer* async = nullptr) = 0;
  /// Sends `mine` to member `receiver`, and receives `theirs` from member `sender`.
  virtual void send_receive(int receiver, const void* mine, int sender, void* theirs,
                            std::int64_t bytes) = 0;

  // From one member to another one; no other member takes part. Both only start, and never wait for
  // the other side: what goes from one member to one other arrives in the order in which it is
  // sent, so that the receiver asks for it in that order.
  virtual void send(int receiver, const void* data, std::int64_t bytes, Transfer& async) = 0;
  virtual void receive(int sender, void* data, std::int64_t bytes, Transfer& async) = 0;

  /// True once it has ended.
  virtual bool test(Transfer& transfer) { return !transfer.open; }
  virtual void wait(Transfer& /*transfer*/) {}

  // Sums in the library's own order.
  virtual bool can_add(DType, std::int64_t /*elements*/) const { return false; }
  /// y = the sum (maximum, minimum) of x of all members, if it can_add that.
  virtual void all_reduce(const void* /*x*/, void* /*y*/, std::int64_t /*elements*/, DType, Combine,
                          Transfer* /*async*/) {}
  /// y = block number `number()` of that, of so many elements.
  virtual void reduce_scatter(const void* /*x*/, void* /*y*/, std::int64_t /*elements*/, DType,
                              Combine, Transfer* /*async*/) {}
};

/// All ranks of a run.
class Network {
 public:
  virtual ~Network() = default;
  virtual int ranks() const = 0;
  virtual int rank() const = 0;
  /// Ranks on this machine.
  virtual int ranks_here() const = 0;
  /// Processes of this machine that these are: each its own, unless they are threads.
  virtual int processes_here() const { return ranks_here(); }
  /// "Open MPI v4.1.4": the library that moves the bytes.
  virtual const char* library() const = 0;
  /// Whether ranks are processes that a launcher started, and ends.
  virtual bool has_launcher() const { return false; }
  /// The ranks of one `colour`, in ascending `order`. Every rank calls it.
  virtual std::unique_ptr<Channel> split(int colour, int order) = 0;
  /// The ranks of one `colour` as a network of their own, in the order of these. Every rank calls
  /// it; this network outlives it, and watches the ranks of all.
  virtual std::unique_ptr<Network> divide(int colour) = 0;
  /// The smallest (largest) number that any rank passes. Every rank calls it.
  virtual std::int64_t lowest(std::int64_t mine) = 0;
  virtual std::int64_t highest(std::int64_t mine) = 0;
  /// The bytes of rank 0 on all ranks.
  virtual void broadcast(void* data, std::int64_t bytes) = 0;
  /// Starts failure detection, if this network has it: when a rank has died, lost(rank) is called
  /// on one of the others, on a thread of its own, and all of them exit with status 3. Every rank
  /// calls it, once.
  virtual void watch(std::function<void(int rank)> lost) { static_cast<void>(lost); }
  /// Ends all ranks at once with this status; does not return. Of the ranks that call it at
  /// about the same time, one calls why(), which reports the cause.
  [[noreturn]] virtual void abort(int status, const std::function<void()>& why) = 0;
};

/// The network of a process that runs by itself: one rank.
Network& alone();

}  // namespace mtfc::runtime::net
