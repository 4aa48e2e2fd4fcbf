// This rank's place in the mesh, and the ranks that differ from it only on some axes.
#pragma once
#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/dtype.h"

namespace mtfc::runtime::mpi {

/// The ranks that differ on some axes only, numbered row-major over them.
struct Group {
  MPI_Comm comm = MPI_COMM_NULL;
  int size = 1;
  int number = 0;  // of this rank
  // Room for the arguments of MPI_Alltoallv and its like, so that a step allocates nothing.
  std::vector<int> send_counts, send_places, receive_counts, receive_places;
  std::vector<const void*> sources;
};

class Groups {
 public:
  /// `sizes`: of the mesh's axes; their product is the number of ranks.
  explicit Groups(std::vector<std::int64_t> sizes);
  ~Groups();
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  /// One entry per axis, and one more, so that a mesh without axes has an address too.
  const std::int64_t* coordinates() const { return coordinates_.data(); }
  /// `axes` ascending. Collective at its first use: all ranks run the same program.
  Group& along(const std::vector<int>& axes);
  /// Coordinates of member number `member` of a group.
  void coordinates_of(const std::vector<int>& axes, int member, std::int64_t* coordinates) const;

 private:
  std::vector<std::int64_t> sizes_, coordinates_;
  std::map<std::vector<int>, std::unique_ptr<Group>> groups_;
};

MPI_Datatype datatype(DType dtype);
/// MPI counts in ints.
int count_of(std::int64_t elements);

}  // namespace mtfc::runtime::mpi
