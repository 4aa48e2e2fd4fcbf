// Row-major numbering: coordinates on axes of a grid <-> one number, the last axis fastest. Every
// mesh arithmetic is this one: processors of a mesh, members of a group, distinct shards, blocks of
// a split dimension.
#pragma once
#include <cstdint>
#include <vector>

namespace mtfc {

/// Numbers the cells of a grid that differ only on some of its axes. `coordinates` below has one
/// entry for each axis of the grid.
class RowMajor {
 public:
  /// Over all axes of a grid of these sizes.
  explicit RowMajor(const std::vector<std::int64_t>& sizes);
  /// Over `axes` of it, major to minor, each at most once. Other axes are ignored.
  RowMajor(const std::vector<std::int64_t>& sizes, const std::vector<int>& axes);

  std::int64_t count() const { return count_; }
  /// From 0 to count() - 1.
  std::int64_t number(const std::int64_t* coordinates) const;
  /// The inverse: sets the coordinates on the axes, and leaves the others as they are.
  void locate(std::int64_t number, std::int64_t* coordinates) const;

 private:
  struct Axis {
    int index;
    std::int64_t size;
  };
  std::vector<Axis> axes_;
  std::int64_t count_ = 1;
};

}  // namespace mtfc
