#include "layout/resolve_graph.h"

#include <algorithm>

#include "layout/partial_sums.h"
#include "ops/inputs.h"
#include "ops/op.h"

namespace mtfc::lowering {

namespace {

class GraphResolver {
 public:
  GraphResolver(const Graph& graph, const GraphContext& context, MoveTable& moves)
      : graph_(graph),
        context_(context),
        moves_(moves),
        partial_(find_partial_sums(graph, context)),
        home_(graph.values.size()),
        kept_(graph.values.size()) {}

  ResolvedGraph run() {
    answer_.ops.reserve(graph_.ops.size());
    for (const Operation& op : graph_.ops) add(op);
    for (const Output& output : graph_.outputs) answer_.outputs.push_back(leave(output));
    return std::move(answer_);
  }

 private:
  void add(const Operation& op) {
    ResolvedGraph::Op one{form_of(op, graph_, ops::local_instruction(op, graph_)), {}, {}};
    const std::string* read = ops::variable_read(op);
    if (read) one.form.kept = context_.variables.at(*read).type.sharding;
    std::vector<const Sharding*> given;
    for (ValueId id : op.operands) given.push_back(&home_[id.at()]);
    const std::size_t result = op.results[0].at();
    one.made = resolve(moves_, one.form, given,
                       {context_.table[result], partial_[result].stays, summed(op),
                        !context_.assignment.scopes.empty(), weights(op)});
    answer_.sent_bytes += one.made.sent_bytes;
    for (std::size_t k = 0; k < given.size(); ++k) take(op.operands[k], one, k);
    count(one.made.completed, *one.made.moves);
    // What is wanted as the variable is kept need not be cut out of what was gathered.
    if (read && !one.made.made.is_partial()) kept_[result] = one.made.made;
    home_[result] = one.made.result;
    answer_.ops.push_back(std::move(one));
  }

  /// What the scopes of an operation, or else the general rules, say of the dimensions that it sums
  /// over. Without scopes the operands are split so.
  std::vector<Wanted::Summed> summed(const Operation& op) const {
    std::vector<Wanted::Summed> list;
    if (context_.assignment.scopes.empty()) return list;
    const auto add = [&](DimId dim, const std::vector<AxisId>& axes) {
      const auto same = [&](const Wanted::Summed& other) { return other.dim == dim; };
      if (std::none_of(list.begin(), list.end(), same)) list.push_back({dim, axes});
    };
    for (const int number : op.role.scopes)
      for (const auto& split : context_.assignment.scopes[static_cast<std::size_t>(number)].splits)
        add(split.dim, split.axes);
    for (ValueId operand : op.operands)
      for (DimId dim : graph_.at(operand).type.dims) add(dim, context_.assignment.axes(dim));
    return list;
  }

  /// Operands that are parameters, cast or renamed at most.
  std::vector<std::size_t> weights(const Operation& op) const {
    std::vector<std::size_t> found;
    if (context_.assignment.scopes.empty()) return found;
    for (std::size_t k = 0; k < op.operands.size(); ++k) {
      const Operation* from = &graph_.producer(op.operands[k]);
      while (from->operands.size() == 1 && (from->op == "cast" || from->op == "view"))
        from = &graph_.producer(from->operands[0]);
      if (ops::variable_read(*from)) found.push_back(k);
    }
    return found;
  }

  void take(ValueId operand, ResolvedGraph::Op& one, std::size_t k) {
    const Resolved::Operand& demand = one.made.operands[k];
    const std::optional<Sharding>& kept = kept_[operand.at()];
    one.as_kept.push_back(kept && *kept == demand.sharding);
    if (!one.as_kept.back()) return count(demand.completed, *demand.moves);
    answer_.sent_bytes -= bytes(*demand.moves, one.form.operands[k].dtype);
  }

  const Moves* leave(const Output& output) {
    static const Moves none;
    const bool accumulates = output.kind == Output::Kind::accumulate;
    if (!accumulates && output.kind != Output::Kind::variable) return &none;
    // Unless a scope says how it is kept, it is kept as what is added.
    const bool adds = accumulates && !context_.assignment.kept.contains(output.name);
    ShardType& variable = context_.variables.at(output.name).type;
    const ShardType type =
        in_order({graph_.at(output.value).type, home_[output.value.at()]}, variable.tensor.dims);
    if (adds) {
      variable = type;
      return &none;
    }
    Sharding wanted = variable.sharding;
    wanted.partial.clear();
    const Moves& moves = moves_.between(variable.tensor.dims, type.sharding, wanted);
    count(false, moves);
    answer_.sent_bytes += bytes(moves, type.tensor.dtype);
    return &moves;
  }

  void count(bool completed, const Moves& moves) {
    answer_.collectives += moves.messages + (completed ? 1 : 0);
  }
  static double bytes(const Moves& moves, DType dtype) {
    return moves.elements * static_cast<double>(size_of(dtype));
  }

  const Graph& graph_;
  const GraphContext& context_;
  MoveTable& moves_;
  std::vector<PartialSum> partial_;
  std::vector<Sharding> home_;                 // by value: after all moves
  std::vector<std::optional<Sharding>> kept_;  // of what reads a variable: as that is kept
  ResolvedGraph answer_;
};

}  // namespace

ResolvedGraph resolve_graph(const Graph& graph, const GraphContext& context, MoveTable& moves) {
  return GraphResolver(graph, context, moves).run();
}

ShardType in_order(const ShardType& type, const DimList& dims) {
  ShardType other = type;
  other.tensor.dims = dims;
  for (std::size_t i = 0; i < dims.size(); ++i) other.sharding.split[i] = split_of(type, dims[i]);
  return other;
}

}  // namespace mtfc::lowering
