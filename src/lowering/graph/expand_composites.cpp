#include <algorithm>
#include <iterator>

#include "lowering/graph/rewrite.h"
#include "ops/op.h"

namespace mtfc::lowering {

namespace {

using Wanted = std::function<bool(const Operation&)>;

/// Copies a graph with composite operations expanded where they stand.
class Expansion {
 public:
  Expansion(const Graph& graph, const DimTable& dims, const Wanted& goes)
      : graph_(graph),
        goes_(goes),
        result_(graph.name),
        build_(result_, dims),
        map_(graph.values.size()) {}

  Graph run() {
    for (const Operation& op : graph_.ops) {
      const std::vector<ValueId> results = add(graph_, op, now(op.operands, map_));
      for (std::size_t i = 0; i < results.size(); ++i) map_[op.results[i].at()] = results[i];
    }
    carry_over(graph_, result_, [&](ValueId old) { return map_[old.at()]; });
    return std::move(result_);
  }

 private:
  using Ids = std::vector<ValueId>;

  static Ids now(Ids list, const Ids& map) {
    for (ValueId& id : list) id = map[id.at()];
    return list;
  }

  /// The results of an operation of `from`, itself or what comes of it, with these operands.
  Ids add(const Graph& from, const Operation& op, Ids operands) {
    if (!goes_(op)) return build_.copy(from, op, std::move(operands));
    Ids results = expanded(from, op, std::move(operands));
    for (std::size_t i = 0; i < results.size(); ++i)
      build_.set_name(results[i], from.at(op.results[i]).name);
    return results;
  }

  /// What the operation expands to is taken off again and added one by one: it may be composite.
  Ids expanded(const Graph& from, const Operation& op, Ids operands) {
    const std::size_t first_op = result_.ops.size(), first = result_.values.size();
    Ids made = expand_once(from, op, std::move(operands));
    Graph tail = take_off(first_op, first);
    Ids map(tail.values.size());
    // In the tail's own numbers; a value from before it becomes one of the tail's that stands for
    // itself.
    const auto renumber = [&](Ids& ids) {
      for (ValueId& id : ids) {
        const ValueId old = id;
        if (old.at() >= first) {
          id = ValueId{old.index - static_cast<std::int32_t>(first)};
          continue;
        }
        id = next_id<ValueId>(tail.values);
        tail.values.push_back({build_.type(old), "", OpId{}});
        map.push_back(old);
      }
    };
    for (Operation& part : tail.ops) {
      renumber(part.operands);
      renumber(part.results);
      const Ids results = add(tail, part, now(part.operands, map));
      for (std::size_t i = 0; i < results.size(); ++i) map[part.results[i].at()] = results[i];
    }
    renumber(made);
    return now(std::move(made), map);
  }

  /// The operations and values from these numbers on.
  Graph take_off(std::size_t first_op, std::size_t first) {
    Graph tail;
    tail.ops.assign(std::make_move_iterator(result_.ops.begin() + distance(first_op)),
                    std::make_move_iterator(result_.ops.end()));
    tail.values.assign(std::make_move_iterator(result_.values.begin() + distance(first)),
                       std::make_move_iterator(result_.values.end()));
    result_.ops.resize(first_op);
    result_.values.resize(first);
    return tail;
  }
  static std::ptrdiff_t distance(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

  Ids expand_once(const Graph& from, const Operation& op, Ids operands) {
    Operation mapped = op;
    mapped.operands = std::move(operands);
    build_.follow(op);
    // The expansion asks for the result's type: give it a value of that type.
    for (ValueId& result : mapped.results) {
      const TensorType type = from.at(result).type;
      result = next_id<ValueId>(result_.values);
      result_.values.push_back({type, "", OpId{}});
    }
    return ops::op_of(op).expand(build_, mapped);
  }

  const Graph& graph_;
  const Wanted& goes_;
  Graph result_;
  ops::Builder build_;
  Ids map_;  // by value of the graph
};

}  // namespace

Graph expand_if(Graph graph, const DimTable& dims, const Wanted& wanted) {
  const Wanted goes = [&](const Operation& op) { return ops::op_of(op).expand && wanted(op); };
  if (std::none_of(graph.ops.begin(), graph.ops.end(), goes)) return graph;
  return Expansion(graph, dims, goes).run();
}

Graph expand(Graph graph, const DimTable& dims, bool keep_gradients) {
  return expand_if(std::move(graph), dims, [&](const Operation& op) {
    const ops::OpDef& def = ops::op_of(op);
    return !keep_gradients || (!def.gradient && def.not_differentiable.empty());
  });
}

Graph expand_composites(const Graph& graph, const DimTable& dims) {
  return expand(share_operations(graph, dims), dims, false);
}

}  // namespace mtfc::lowering
