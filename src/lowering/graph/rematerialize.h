// `recompute { }`: what the backward pass needs of a region's forward values is computed again
// there (docs/memory.md; gradient checkpointing, Chen et al., arXiv 1604.06174).
#pragma once
#include <unordered_map>
#include <vector>

#include "ops/builder.h"

namespace mtfc::lowering {

class Rematerializer {
 public:
  /// `parents`: Model::recompute_parents. The tags of the graph so far are those.
  Rematerializer(ops::Builder& build, const std::vector<int>& parents);

  /// The operation with values that the backward pass may use: those of its region are copies,
  /// built now if they are not there.
  Operation rematerialized(const Operation& op);
  /// The tag of backward operations, which belong to the copies of their region.
  int backward_tag(int tag) const { return tag == 0 ? 0 : tag + static_cast<int>(parents_.size()); }
  /// Tells that the operations from `first` on are a gradient: what they use is kept anyway.
  void note_uses(std::size_t first);

 private:
  using Copies = std::unordered_map<ValueId, ValueId>;

  int tag(ValueId value) const;
  bool inside(int tag, int region) const;
  int region_of(ValueId value, int wanted) const;
  ValueId found(ValueId value, int region) const;
  ValueId value(ValueId value, int region);
  void copy(const Operation& op, int region);

  ops::Builder& build_;
  const std::vector<int>& parents_;
  std::vector<Copies> copies_;  // by tag: forward value -> its copy
  std::vector<bool> kept_;      // by value: used by a gradient or by a deeper region's copy
};

}  // namespace mtfc::lowering
