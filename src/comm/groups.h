// This rank's place in the mesh, and the ranks that differ from it only on some axes.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "comm/network.h"

namespace mtfc::runtime::net {

/// A collective that was begun and has not ended. It has two transfers: the second begins when the
/// first has arrived, after those of all that were begun before it, so that all ranks agree.
class Underway {
 public:
  virtual ~Underway() = default;
  enum class State : std::uint8_t { first, second, ended };
  /// Goes on as far as it can; with `wait` to the end.
  virtual State advance(bool wait) = 0;
};

/// Counts and places of blocks, by member of a group.
struct Lists {
  std::vector<int> send_counts, send_places, receive_counts, receive_places;
  void resize(std::size_t members);
};

/// The ranks that differ on some axes only, numbered row-major over them.
struct Group {
  std::unique_ptr<Channel> channel;
  std::unique_ptr<Channel> second;  // of what is underway: for second transfers
  int size = 1;
  int number = 0;  // of this rank
  // Room for lists, so that a step allocates nothing.
  Lists lists;
  std::vector<const void*> sources;
};

class Groups {
 public:
  /// `sizes`: of the mesh's axes; their product is the number of ranks.
  Groups(Network& network, std::vector<std::int64_t> sizes);
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  Network& network() const { return network_; }
  /// Memory for what is underway, to be given back.
  std::vector<std::byte> take_room(std::int64_t bytes);
  void give_room(std::vector<std::byte> room) { rooms_.push_back(std::move(room)); }
  /// Begun by all ranks in the same order.
  void begin(Underway& collective) { underway_.push_back(&collective); }
  /// Called now and then: what has arrived goes on.
  void advance();
  /// Ends this one, and goes on with those before it as far as it needs.
  void finish(Underway& collective);

  /// Bytes sent to other ranks in collectives, so far.
  std::int64_t sent = 0;

  /// Of the mesh's axes.
  const std::vector<std::int64_t>& sizes() const { return sizes_; }
  /// One entry per axis, and one more, so that a mesh without axes has an address too.
  const std::int64_t* coordinates() const { return coordinates_.data(); }
  /// `axes` ascending. Collective at its first use: all ranks run the same program.
  Group& along(const std::vector<int>& axes);
  /// The same with the channel for second transfers.
  Group& along_twice(const std::vector<int>& axes);
  /// Coordinates of member number `member` of a group.
  void coordinates_of(const std::vector<int>& axes, int member, std::int64_t* coordinates) const;

 private:
  Network& network_;
  std::vector<std::int64_t> sizes_, coordinates_;
  std::unique_ptr<Channel> channel_along(const std::vector<int>& axes);
  std::map<std::vector<int>, std::unique_ptr<Group>> groups_;
  std::vector<std::vector<std::byte>> rooms_;  // free
  std::vector<Underway*> underway_;            // in the order in which they were begun
};

/// Counts in lists are ints.
int count_of(std::int64_t elements);

}  // namespace mtfc::runtime::net
