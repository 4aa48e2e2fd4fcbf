#include "lowering/spmd/lower_graph.h"

#include <algorithm>
#include <utility>

#include "ir/causes.h"
#include "layout/resolve_graph.h"
#include "layout/without_rule.h"
#include "ops/inputs.h"
#include "support/program_names.h"

namespace mtfc::lowering {

namespace {

class Lowering {
 public:
  Lowering(const Graph& graph, const GraphContext& context)
      : graph_(graph),
        c_(context),
        moves_(context.dims, context.assignment.mesh),
        resolved_(resolve_graph(graph, context, moves_)),
        homes_(graph.values.size()),
        kept_(graph.values.size()),
        causes_(graph.values.size()) {
    program_.name = graph.name;
  }

  Program run() {
    program_.instructions.reserve(graph_.ops.size() * 3 / 2);
    program_.values.reserve(graph_.ops.size() * 3 / 2);
    for (std::size_t i = 0; i < graph_.ops.size(); ++i) lower(graph_.ops[i], resolved_.ops[i]);
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i)
      leave(graph_.outputs[i], *resolved_.outputs[i]);
    return std::move(program_);
  }

 private:
  const ShardType& type(ValueId id) const { return program_.at(id).type; }

  ValueId emit(InstructionKind kind, std::vector<ValueId> operands, ShardType result,
               const Origin& origin, SharedText name = {}) {
    const ValueId id = next_id<ValueId>(program_.values);
    program_.values.push_back({std::move(result), std::move(name)});
    program_.instructions.push_back({std::move(kind), std::move(operands), {id}, origin, role_});
    return id;
  }

  /// `all`: the dimensions whose rules may be why.
  ValueId moved(ValueId value, const std::vector<ReshardStep>& steps, const Origin& origin,
                const DimList& all) {
    const DimList dims = type(value).tensor.dims;
    const SharedText name = program_.at(value).name;
    for (const ReshardStep& step : steps) {
      ShardType result = type(value);
      result.sharding = after(dims, result.sharding, step);
      Origin why = origin;
      const Moved moved = std::visit([](const auto& s) { return moved_dim(s); }, step);
      why.cause = cause(moved, all);
      value = std::visit(
          [&](const auto& s) { return emit(s, {value}, std::move(result), why, name); }, step);
    }
    return value;
  }
  SharedText rule(DimId dim, AxisId axis) const {
    const SharedText& text = c_.assignment.cause(dim);
    if (!text.empty()) return text;
    return c_.dims[dim].name + ":" + c_.assignment.mesh.name(axis);
  }
  using Moved = std::pair<DimId, AxisId>;
  SharedText cause(Moved moved, DimList all) const {
    if (const auto* split = c_.assignment.find(scopes_, moved.first)) return split->cause;
    all.insert(all.begin(), moved.first);  // its own rule is the best answer
    for (DimId dim : all) {
      const std::vector<AxisId>& ruled = c_.assignment.axes(dim);
      if (std::find(ruled.begin(), ruled.end(), moved.second) != ruled.end())
        return rule(dim, moved.second);
    }
    const auto& kept = c_.assignment.kept;
    if (const auto scope = kept.find(reading_.empty() ? role_.parameter.str() : reading_);
        scope != kept.end())
      return scope->second.cause;
    // No rule splits what only the sharded update does (shard_update.h).
    if (role_.kind == StepRole::Kind::update) return sharded_update_text();
    return rule(moved.first, moved.second);
  }
  static Moved moved_dim(const Shard& s) { return {s.dim, s.axis}; }
  static Moved moved_dim(const AllGather& s) { return {s.dims[0], s.axis}; }
  static Moved moved_dim(const AllToAll& s) { return {s.to, s.axis}; }
  static Moved moved_dim(const Permute& s) {
    return {s.changes.front().dim, s.changes.front().to.back()};
  }

  static bool is_over(const Sharding& sharding, const std::vector<AxisId>& axes) {
    return std::any_of(sharding.split.begin(), sharding.split.end(), [&](const auto& split) {
      return std::find_first_of(split.begin(), split.end(), axes.begin(), axes.end()) !=
             split.end();
    });
  }

  /// What a scope says of the dimension, if it splits it over one of the axes.
  const Assignment::Scope::Split* scoped(DimId dim, const std::vector<AxisId>& axes) const {
    for (const int number : scopes_) {
      const Assignment::Scope& scope = c_.assignment.scopes[static_cast<std::size_t>(number)];
      const Assignment::Scope::Split* split = scope.find(dim);
      if (split && std::find_first_of(split->axes.begin(), split->axes.end(), axes.begin(),
                                      axes.end()) != split->axes.end())
        return split;
    }
    return nullptr;
  }

  /// The rules of the dimensions whose split makes a result partial; what operands were partial for
  /// comes first.
  SharedText cause_of_partial(const Operation& op, const std::vector<AxisId>& axes) const {
    std::string text;
    for (ValueId operand : op.operands) add_causes(text, causes_[operand.at()]);
    DimList seen;
    for (ValueId operand : op.operands) {
      for (DimId dim : graph_.at(operand).type.dims) {
        if (const Assignment::Scope::Split* split = scoped(dim, axes)) {
          add_causes(text, split->cause.str());
          continue;
        }
        for (AxisId axis : c_.assignment.axes(dim)) {
          const bool used = std::find(axes.begin(), axes.end(), axis) != axes.end();
          if (!used || contains(seen, dim)) continue;
          seen.push_back(dim);
          add_causes(text, rule(dim, axis));
        }
      }
    }
    if (!text.empty()) return text;
    // Of all parameters together, as a norm: those that are kept in shards over one of the axes.
    for (const auto& [path, kept] : c_.assignment.kept)
      if (is_over(kept.sharding, axes)) add_causes(text, kept.cause.str());
    if (text.empty() && role_.kind == StepRole::Kind::update) text = sharded_update_text();
    return text;
  }

  /// The form of `resolved` moves into the program.
  void lower(const Operation& op, ResolvedGraph::Op& resolved) {
    role_ = op.role;
    role_.scopes.clear();
    scopes_ = op.role.scopes;
    for (ValueId operand : op.operands) {
      const std::vector<int>& of_operand = graph_.producer(operand).role.scopes;
      scopes_.insert(scopes_.end(), of_operand.begin(), of_operand.end());
    }
    OpForm& form = resolved.form;
    const Resolved& made = resolved.made;
    const std::string* read = ops::variable_read(op);
    reading_ = read ? *read : "";
    const ValueId result = op.results[0];

    const bool view = std::holds_alternative<Rearrange>(*form.local);
    const DimList& dims = form.result.dims;
    const DimList all = view ? union_of(form.operands[0].dims, dims) : dims;
    std::vector<ValueId> operands;
    for (std::size_t k = 0; k < op.operands.size(); ++k) {
      const std::size_t number = op.operands[k].at();
      const Resolved::Operand& demand = made.operands[k];
      ValueId value = resolved.as_kept[k] ? kept_[number] : homes_[number];
      if (!resolved.as_kept[k]) {
        if (demand.completed) value = completed(value, op, causes_[number]);
        value = moved(value, demand.moves->steps, op.origin, view ? all : form.operands[k].dims);
      }
      operands.push_back(value);
    }
    const SharedText& name = graph_.at(result).name;
    ValueId value = emit(std::move(*form.local), std::move(operands),
                         {std::move(form.result), made.made}, op.origin, name);
    if (read) kept_[result.at()] = value;
    if (made.made.is_partial()) {
      const SharedText cause =
          read ? c_.variables.cause(*read) : cause_of_partial(op, made.made.partial);
      if (made.completed)
        value = completed(value, op, cause);
      else
        causes_[result.at()] = cause;
    }
    homes_[result.at()] = moved(value, made.moves->steps, op.origin, all);
  }

  ValueId completed(ValueId value, const Operation& op, const SharedText& cause) {
    ShardType complete = type(value);
    AllReduce all_reduce{complete.sharding.combine, complete.sharding.partial};
    complete.sharding.partial.clear();
    Origin origin = op.origin;
    origin.cause = cause;
    return emit(all_reduce, {value}, complete, origin, program_.at(value).name);
  }

  /// Same values in another storage order.
  ValueId reordered(ValueId value, const DimList& dims) {
    if (type(value).tensor.dims == dims) return value;
    const ShardType result = in_order(type(value), dims);
    Map map;
    ScalarInstruction leaf;
    leaf.kind = LeafKind::operand;
    leaf.dtype = result.tensor.dtype;
    leaf.leaf = 0;
    map.body.code = {leaf};
    map.body.results = {0};
    const ValueId made = emit(map, {value}, result, Origin{}, program_.at(value).name);
    program_.instructions.back().role = {};
    return made;
  }

  ValueId microbatch() {
    if (!microbatch_.valid()) {
      microbatch_ = emit(Feed{feed_names::microbatch}, {}, {{DType::i32, {}}, {}}, Origin{});
      program_.instructions.back().role = {};
    }
    return microbatch_;
  }

  /// The variable with the value added, or the value in the first micro-batch; partial if the value
  /// is.
  ValueId accumulated(ValueId value, const std::string& path, const SharedText& cause,
                      const Origin& origin) {
    const ModuleVariable& home = c_.variables.at(path);
    c_.variables.cause(path) = cause;
    const DType dtype = home.type.tensor.dtype;
    const ValueId before = emit(Read{path}, {}, home.type, origin);
    const auto leaf = [](LeafKind kind, int number, DType type) {
      ScalarInstruction s;
      s.kind = kind;
      s.leaf = number;
      s.dtype = type;
      return s;
    };
    const auto apply = [](ScalarOp op, DType type, int a, int b, int c) {
      ScalarInstruction s;
      s.op = op;
      s.dtype = type;
      s.args[0] = a, s.args[1] = b, s.args[2] = c;
      return s;
    };
    Map map;
    map.body.code = {leaf(LeafKind::operand, 0, dtype),
                     leaf(LeafKind::operand, 1, dtype),
                     leaf(LeafKind::operand, 2, DType::i32),
                     leaf(LeafKind::constant, -1, DType::i32),
                     apply(ScalarOp::eq, DType::boolean, 2, 3, -1),
                     apply(ScalarOp::add, dtype, 0, 1, -1),
                     apply(ScalarOp::select, dtype, 4, 1, 5)};
    map.body.results = {6};
    return emit(std::move(map), {before, value, microbatch()}, home.type, origin);
  }

  void leave(const Output& output, const Moves& moves) {
    ValueId value = homes_[output.value.at()];
    Origin origin = graph_.producer(output.value).origin;
    role_ = graph_.producer(output.value).role;
    scopes_ = std::exchange(role_.scopes, {});
    reading_.clear();
    origin.cause.clear();
    InstructionKind kind = Fetch{output.kind, output.name};
    if (output.kind == Output::Kind::variable || output.kind == Output::Kind::accumulate) {
      const DimList dims = c_.variables.at(output.name).type.tensor.dims;
      value = reordered(value, dims);
      value = moved(value, moves.steps, origin, dims);
      if (output.kind == Output::Kind::accumulate)
        value = accumulated(value, output.name, causes_[output.value.at()], origin);
      kind = Write{output.name};
    }
    program_.instructions.push_back({std::move(kind), {value}, {}, origin, role_});
  }

  const Graph& graph_;
  const GraphContext& c_;
  MoveTable moves_;
  ResolvedGraph resolved_;
  std::vector<ValueId> homes_;  // by graph value: where it is in the program
  std::vector<ValueId> kept_;   // of what reads a variable: as that is kept
  std::vector<SharedText>
      causes_;  // by graph value: the rules that made it partial, if it stays so
  ValueId microbatch_;
  StepRole role_;            // of the operation that is being lowered
  std::vector<int> scopes_;  // of it and of its operands
  std::string reading_;      // the variable that it reads
  Program program_;
};

}  // namespace

Program lower_graph(const Graph& graph, const GraphContext& context) {
  return Lowering(graph, context).run();
}

}  // namespace mtfc::lowering
