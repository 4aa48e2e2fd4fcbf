// Moves that were searched for once. Searching takes up to a millisecond, asking again does not.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "layout/reshard.h"

namespace mtfc::lowering {

/// Steps, and what one processor sends for them.
struct Moves {
  std::vector<ReshardStep> steps;
  int messages = 0;  // steps that are collectives
  double elements = 0;
};

/// What leads from one split to another on one mesh. Not for several threads at once.
class MoveTable {
 public:
  /// Both outlive the table; dimensions may be added while it lives.
  MoveTable(const DimTable& dims, const Mesh& mesh) : dims_(dims), mesh_(mesh) {}

  /// The moves of a tensor with these dimensions (reshard.h). The result lives as long as the
  /// table.
  const Moves& between(const DimList& dims, const Sharding& from, const Sharding& to);

  struct AroundView {
    Moves before, after;
    Sharding operand, result;  // around the view; partial as what was asked with
  };
  /// The same with a view on the way (reshard_view).
  const AroundView& around(const std::vector<DimGroup>& groups, const DimList& from_dims,
                           const Sharding& from, const DimList& to_dims, const Sharding& to);

  const DimTable& dims() const { return dims_; }
  const Mesh& mesh() const { return mesh_; }

 private:
  Moves counted(const DimList& dims, Sharding from, std::vector<ReshardStep> steps) const;

  const DimTable& dims_;
  const Mesh& mesh_;
  std::unordered_map<std::string, Moves> moves_;
  std::unordered_map<std::string, AroundView> views_;
};

/// Elements that one processor sends for a step: of an all-gather its shard to each of the others,
/// of an all-to-all all but one block of its shard, of a permutation its shard.
double sent_elements(const DimTable& dims, const Mesh& mesh, const DimList& tensor,
                     const Sharding& before, const ReshardStep& step);
}  // namespace mtfc::lowering
