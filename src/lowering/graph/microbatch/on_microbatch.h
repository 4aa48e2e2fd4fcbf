// What operations on a whole batch are on one micro-batch, and which of them cannot be.
#pragma once
#include <vector>

#include "ir/model.h"
#include "ops/builder.h"

namespace mtfc::lowering {

/// What else to do where something has no meaning on a micro-batch.
inline constexpr const char* without_microbatches =
    "leave out `microbatches`; a layout can split the batch over processors instead";

/// The alias of a dimension of examples: with as many positions as one of `count` parts has.
DimId add_alias(DimTable& dims, DimId batch, std::int64_t count);

/// With aliases in place of the dimensions of examples.
DimList on_microbatch(DimList dims, const Microbatch& micro);
Attrs on_microbatch(const Attrs& attrs, const Microbatch& micro);

/// Copies operations of a graph over a batch into one over a micro-batch.
class MicrobatchCopier {
 public:
  /// `micro` gets the aliases before anything is copied; `to` may be its graph.
  MicrobatchCopier(const Graph& batch, Graph& to, const DimTable& dims, const Microbatch& micro)
      : build(to, dims), batch_(batch), micro_(micro), map_(batch.values.size()) {}

  /// What stands for a value of the batch; not valid: nothing yet.
  ValueId at(ValueId id) const { return map_[id.at()]; }
  /// The same operation on the copies of its operands.
  void copy(const Operation& op);
  /// Says what stands for a result; it gets its name.
  void set(const Operation& op, ValueId made, std::size_t result = 0);

  ops::Builder build;

 private:
  const Graph& batch_;
  const Microbatch& micro_;
  std::vector<ValueId> map_;
};

/// A dimension of examples along which the operation of the graph needs indices in the whole batch,
/// static or computed from data; not valid: there is none.
DimId needs_whole_batch(const Operation& op, const Graph& graph, const Microbatch& micro);

/// Composites that work along a dimension of examples show what they do there once expanded; means
/// and what combines are known as they are. What is relative to a maximum is not a sum over parts
/// that have maxima of their own.
bool is_composite_along_examples(const Operation& op, const Microbatch& micro);

}  // namespace mtfc::lowering
