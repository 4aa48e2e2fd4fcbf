// The coordinates of this rank in the mesh, and the groups of ranks that differ only on some axes.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "comm/message_buffers.h"
#include "comm/network.h"
#include "support/row_major.h"
#include "support/shareable_memory.h"

namespace mtfc::runtime::net {

/// A collective that was started and has not ended. It has two transfers: the second starts when
/// the first has arrived, after those of all collectives that were started before, so that all
/// ranks agree on the order.
class AsyncCollective {
 public:
  virtual ~AsyncCollective() = default;
  enum class State : std::uint8_t { first, second, ended };
  /// Continues as far as it can; with `wait` to the end.
  virtual State advance(bool wait) = 0;
};

/// Counts and offsets of blocks, by member of a group; and where memory that all of them reach has
/// an operand and a result, `own` and of all members.
struct Lists {
  struct Tensors {
    MemoryReference x, y;
  };
  std::vector<int> send_counts, send_offsets, receive_counts, receive_offsets;
  Tensors own;
  std::vector<Tensors> tensors;
  void resize(std::size_t members);
};

/// The ranks that differ from this one on some axes only, numbered row-major over them.
struct Group {
  explicit Group(RowMajor numbering) : members(std::move(numbering)) {}
  RowMajor members;
  std::unique_ptr<Channel> channel;
  std::unique_ptr<Channel> second;  // of asynchronous collectives: for second transfers
  int size = 1;
  int number = 0;                // of this rank
  PeerMemory* shared = nullptr;  // if members reach each other's memory
  // Reused lists, so that a step allocates nothing.
  Lists lists;
  std::vector<const void*> sources;
  std::vector<void*> results;
};

class Groups {
 public:
  /// `sizes`: of the mesh's axes; their product is the number of ranks.
  Groups(Network& network, std::vector<std::int64_t> sizes);
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  Network& network() const { return network_; }
  /// Of the mesh's axes.
  const std::vector<std::int64_t>& sizes() const { return sizes_; }
  /// Of this rank: one entry per axis, and one more, so that it is an address on a mesh without
  /// axes.
  const std::int64_t* coordinates() const { return coordinates_.data(); }
  /// `axes` ascending. Collective at its first use: all ranks run the same program.
  Group& along(const std::vector<int>& axes);
  /// The same with the channel for second transfers.
  Group& along_async(const std::vector<int>& axes);

  /// For operands and results of collectives: ranks of one machine can reach it. Zeros that take
  /// memory where they are first used.
  AlignedBytes allocate(std::int64_t bytes);
  /// Of asynchronous collectives, from their start to where they are waited for.
  MessageBuffers& buffers() { return buffers_; }
  /// Started by all ranks in the same order.
  void start(AsyncCollective& collective) { started_.push_back(&collective); }
  /// Called now and then: continues the collectives whose transfers have arrived.
  void advance();
  /// Ends this one, and continues those before it as far as it needs.
  void wait(AsyncCollective& collective);

 private:
  std::unique_ptr<Channel> channel_along(const std::vector<int>& axes);

  Network& network_;
  std::vector<std::int64_t> sizes_, coordinates_;
  std::map<std::vector<int>, std::unique_ptr<Group>> groups_;
  PeerMemory peers_;
  MessageBuffers buffers_;
  std::vector<AsyncCollective*> started_;  // in the order in which they were started
};

/// Counts in lists are ints.
int count_of(std::int64_t elements);

}  // namespace mtfc::runtime::net
