// One program of generation from the model's own graph: operation by operation, with the dimensions
// of positions renamed to those of a window or to one position.
#pragma once
#include "lowering/graph/generation/kv_cache.h"
#include "ops/builder.h"

namespace mtfc::lowering {

class GenerationRewriter {
 public:
  GenerationRewriter(Store& store, const GenerationWindow& window, Graph& graph);

  /// All positions of the window at once; the caches are written. Output: the logits at `position`.
  void all_positions();
  /// The newest position; the caches get its entries. Output: its logits.
  void one_position();

 private:
  // Fixed values, with the positions that a renaming leaves of them.
  ValueId fixed(ValueId value, const Renaming& renaming);
  ValueId restricted(ValueId whole, const DimList& dims, const Renaming& renaming);
  bool is_recomputed(const Operation& op) const;

  // The step: values at the newest position, new entries of past values, all entries so far.
  void step(const Operation& op);
  ValueId entry(const Operation& op);
  bool looks_back(const Operation& op) const;
  ValueId look_back(const Operation& op);
  ValueId so_far(ValueId value, ValueId entry);

  // Running sums: the sum up to `position` of all, the sum so far with the newest entry.
  ValueId summed(const Operation& op, ValueId x);
  ValueId carry(const Operation& op, ValueId entry);

  ValueId apply(const Operation& op, std::vector<ValueId> operands, const Renaming& renaming);
  /// All results, which become what is `here_`.
  void apply_here(const Operation& op, std::vector<ValueId> operands, const Renaming& renaming);
  ValueId tokens(const Renaming& renaming);
  ValueId position();
  ValueId position_along(DimId one);
  bool touches(ValueId value) const;  // has a dimension of positions
  bool depends(ValueId value) const { return positions_.stages[value.at()] != Stage::fixed; }
  bool is_past(ValueId value) const { return positions_.stages[value.at()] == Stage::past; }
  const DimList& dims_of(ValueId value) const { return from_.at(value).type.dims; }

  Store& store_;
  const Graph& from_;
  const Positions& positions_;
  const GenerationWindow& window_;
  ops::Builder to_;
  Renaming newest_, entries_;   // d to one position and copies to the window; all to one position
  std::vector<bool> has_data_;  // by value: variables, inputs or random numbers are behind it
  std::vector<ValueId> here_, entry_, so_far_;  // by value of the model's graph
  std::map<std::pair<const Renaming*, ValueId>, ValueId> fixed_;
  ValueId position_;
};

}  // namespace mtfc::lowering
