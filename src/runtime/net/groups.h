// This rank's place in the mesh, and the ranks that differ from it only on some axes.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "runtime/net/network.h"

namespace mtfc::runtime::net {

/// The ranks that differ on some axes only, numbered row-major over them.
struct Group {
  std::unique_ptr<Channel> channel;
  int size = 1;
  int number = 0;  // of this rank
  // Room for lists of counts and places, so that a step allocates nothing.
  std::vector<int> send_counts, send_places, receive_counts, receive_places;
  std::vector<const void*> sources;
};

class Groups {
 public:
  /// `sizes`: of the mesh's axes; their product is the number of ranks.
  Groups(Network& network, std::vector<std::int64_t> sizes);
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  Network& network() const { return network_; }
  /// Bytes sent to other ranks in collectives, so far.
  std::int64_t sent = 0;

  /// Of the mesh's axes.
  const std::vector<std::int64_t>& sizes() const { return sizes_; }
  /// One entry per axis, and one more, so that a mesh without axes has an address too.
  const std::int64_t* coordinates() const { return coordinates_.data(); }
  /// `axes` ascending. Collective at its first use: all ranks run the same program.
  Group& along(const std::vector<int>& axes);
  /// Coordinates of member number `member` of a group.
  void coordinates_of(const std::vector<int>& axes, int member, std::int64_t* coordinates) const;

 private:
  Network& network_;
  std::vector<std::int64_t> sizes_, coordinates_;
  std::map<std::vector<int>, std::unique_ptr<Group>> groups_;
};

/// Counts in lists are ints.
int count_of(std::int64_t elements);

}  // namespace mtfc::runtime::net
