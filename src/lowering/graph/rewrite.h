// Rewrites of Graphs that keep their meaning: copy, expand composites, share, drop what is unused.
#pragma once
#include <functional>
#include <unordered_map>
#include <vector>

#include "ops/builder.h"

namespace mtfc::lowering {

/// Copies operations of `from` into the graph of a Builder, one value to one value.
class Copier {
 public:
  Copier(const Graph& from, ops::Builder& to) : from_(from), to_(to), map_(from.values.size()) {}

  /// The copy of a value; everything it needs is copied first. Invalid ids stay invalid.
  ValueId copy(ValueId id);
  /// Says what stands for `id` in the copy.
  void replace(ValueId id, ValueId with) { map_[id.at()] = with; }
  bool has(ValueId id) const { return map_[id.at()].valid(); }
  /// Copies one operation whose operands have been copied.
  void copy_operation(const Operation& op);
  /// Copies the graph, and what leaves it. Where `instead` gives a value for an operation, that
  /// stands for its result, broadcast to its dimensions and under its name.
  void copy_all(const std::function<ValueId(const Operation&)>& instead);

 private:
  const Graph& from_;
  ops::Builder& to_;
  std::vector<ValueId> map_;
};

/// What leaves a graph, and its updates, in a rewritten one: `now` says which value stands for one
/// of `from`. Every pass that makes a graph from a graph ends with it.
void carry_over(const Graph& from, Graph& to, const std::function<ValueId(ValueId)>& now);

/// Replaces composite operations, to the bottom. With `keep_gradients`, those that have a gradient
/// of their own stay.
Graph expand(Graph graph, const DimTable& dims, bool keep_gradients);

/// All of them, after sharing: what is shared need not be expanded twice.
Graph expand_composites(const Graph& graph, const DimTable& dims);

/// Replaces the composite operations that are wanted, and what comes of them if it is wanted too.
Graph expand_if(Graph graph, const DimTable& dims,
                const std::function<bool(const Operation&)>& wanted);

/// By operation: whether an output needs it.
std::vector<bool> needed_operations(const Graph& graph);

/// Merges operations that are equal in name, operands, attributes, recompute tag and scopes, and
/// drops those that no output needs.
Graph share_operations(const Graph& graph, const DimTable& dims);

}  // namespace mtfc::lowering
