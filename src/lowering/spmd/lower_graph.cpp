#include "lowering/spmd/lower_graph.h"

#include <algorithm>

#include "layout/reshard.h"
#include "lowering/spmd/local.h"
#include "lowering/spmd/pending.h"
#include "ops/op.h"

namespace mtfc::lowering {

namespace {

class Lowering {
 public:
  Lowering(const Graph& graph, const LowerContext& context)
      : graph_(graph),
        c_(context),
        pending_(find_pending(graph, context)),
        homes_(graph.values.size()),
        causes_(graph.values.size()) {
    program_.name = graph.name;
  }

  Program run() {
    for (const Operation& op : graph_.ops) lower(op);
    for (const Output& output : graph_.outputs) leave(output);
    return std::move(program_);
  }

 private:
  const ShardType& type(ValueId id) const { return program_.at(id).type; }

  ValueId emit(InstructionKind kind, std::vector<ValueId> operands, ShardType result,
               const Origin& origin, const std::string& name = "") {
    const ValueId id = next_id<ValueId>(program_.values);
    program_.values.push_back({std::move(result), name});
    program_.instructions.push_back({std::move(kind), std::move(operands), {id}, origin});
    return id;
  }

  /// `value` split as `wanted`; the causes are the rules of the dimensions that move.
  ValueId moved(ValueId value, const Sharding& wanted, const Origin& origin) {
    const ShardType from = type(value);
    const DimList all = from.tensor.dims;
    const Reshard problem{c_.placement.mesh, c_.dims, all, from.sharding, wanted};
    return moved(value, reshard(problem), origin, all);
  }
  /// `all`: the dimensions whose rules may be why.
  ValueId moved(ValueId value, const std::vector<ReshardStep>& steps, const Origin& origin,
                const DimList& all) {
    const DimList dims = type(value).tensor.dims;
    const std::string name = program_.at(value).name;
    for (const ReshardStep& step : steps) {
      ShardType result = type(value);
      result.sharding = after(dims, result.sharding, step);
      Origin why = origin;
      const Moved moved = std::visit([](const auto& s) { return moved_dim(s); }, step);
      why.cause = cause(moved, origin.phase, all);
      value = std::visit(
          [&](const auto& s) { return emit(s, {value}, std::move(result), why, name); }, step);
    }
    return value;
  }
  std::string rule(DimId dim, AxisId axis) const {
    const std::string& text = c_.placement.cause(dim);
    return text.empty() ? c_.dims[dim].name + ":" + c_.placement.mesh.name(axis) : text;
  }
  using Moved = std::pair<DimId, AxisId>;
  std::string cause(Moved moved, Phase phase, DimList all) const {
    all.insert(all.begin(), moved.first);  // its own rule is the best answer
    for (DimId dim : all) {
      const std::vector<AxisId>& ruled = c_.placement.axes(dim);
      if (std::find(ruled.begin(), ruled.end(), moved.second) != ruled.end())
        return rule(dim, moved.second);
    }
    // No rule splits what only the sharded update does (sharded_update.h).
    return phase == Phase::update ? "update=sharded" : rule(moved.first, moved.second);
  }
  static Moved moved_dim(const Shard& s) { return {s.dim, s.axis}; }
  static Moved moved_dim(const AllGather& s) { return {s.dims[0], s.axis}; }
  static Moved moved_dim(const AllToAll& s) { return {s.to, s.axis}; }
  static Moved moved_dim(const Permute& s) {
    return {s.changes.front().dim, s.changes.front().to.back()};
  }

  /// The rules of the dimensions whose split makes a result partial; what operands were partial for
  /// comes first.
  std::string cause_of_partial(const Operation& op, const std::vector<AxisId>& axes) const {
    std::string text;
    for (ValueId operand : op.operands) {
      const std::string& earlier = causes_[operand.at()];
      if (!earlier.empty() && text.find(earlier) == std::string::npos) {
        text += (text.empty() ? "" : ";") + earlier;
      }
    }
    DimList seen;
    for (ValueId operand : op.operands) {
      for (DimId dim : graph_.at(operand).type.dims) {
        for (AxisId axis : c_.placement.axes(dim)) {
          const bool used = std::find(axes.begin(), axes.end(), axis) != axes.end();
          if (!used || contains(seen, dim)) continue;
          seen.push_back(dim);
          if (text.find(rule(dim, axis)) != std::string::npos) continue;
          text += (text.empty() ? "" : ";") + rule(dim, axis);
        }
      }
    }
    return text;
  }

  void lower(const Operation& op) {
    const InstructionKind kind = local_instruction(op, graph_);
    const ValueId result = op.results[0];
    std::vector<ValueId> operands;
    for (ValueId id : op.operands) operands.push_back(homes_[id.at()]);

    const Sharding& wanted = c_.table[result.at()];
    ShardType made{graph_.at(result).type, wanted};
    std::vector<ReshardStep> rest;
    DimList all = made.tensor.dims;
    if (const auto* view = std::get_if<Rearrange>(&kind)) {
      const ShardType from = type(operands[0]);
      const ViewMoves moves =
          reshard_view({c_.placement.mesh, c_.dims, from.tensor.dims, from.sharding, wanted},
                       view->groups, made.tensor.dims);
      all = union_of(from.tensor.dims, all);
      operands[0] = moved(operands[0], moves.before, op.origin, all);
      made.sharding = moves.result;
      rest = moves.after;
    } else {
      align(op, operands, made);
    }
    std::vector<ShardType> types;
    for (ValueId id : operands) types.push_back(type(id));
    const auto partial = partial_of_result(kind, types, c_);
    made.sharding.partial = partial ? partial->axes : std::vector<AxisId>{};
    if (partial) made.sharding.combine = partial->combine;

    ValueId value = emit(kind, std::move(operands), made, op.origin, graph_.at(result).name);
    if (!made.sharding.partial.empty()) {
      const auto* read = std::get_if<Read>(&kind);
      const std::string cause =
          read ? c_.variables.cause(read->variable) : cause_of_partial(op, made.sharding.partial);
      if (pending_[result.at()].stays)
        causes_[result.at()] = cause;
      else
        value = completed(value, op, cause);
    }
    value = moved(value, rest, op.origin, all);
    homes_[result.at()] = moved(value, wanted, op.origin);
  }

  /// What is whole is gathered before and cut afterwards; what is parallel is split in operands as
  /// in the result; what is summed, indexed or made stays as it is.
  void align(const Operation& op, std::vector<ValueId>& operands, ShardType& made) {
    const ops::Factors factors = ops::op_named(op.op).factors(op, graph_);
    std::vector<Sharding> needs;
    for (ValueId id : operands) needs.push_back(type(id).sharding);
    for (const ops::Factor& factor : factors.list) {
      // What is indexed stays split, but not over an axis that splits the result: a processor would
      // need the others' places too.
      if (factor.role == ops::Role::indexed)
        for (std::size_t k = 0; k < operands.size(); ++k)
          if (factor.operands[k].valid())
            std::erase_if(split_in(operands[k], needs[k], factor.operands[k]),
                          [&](AxisId axis) { return splits(made, axis); });
      if (factor.role != ops::Role::whole && factor.role != ops::Role::parallel) continue;
      const bool whole = factor.role == ops::Role::whole;
      for (std::size_t k = 0; k < operands.size(); ++k) {
        const DimId dim = factor.operands[k];
        if (!dim.valid()) continue;
        split_in(operands[k], needs[k], dim) =
            whole ? std::vector<AxisId>{} : split_of(made, factor.result);
      }
      if (whole && factor.result.valid()) {
        const int at = position(made.tensor.dims, factor.result);
        made.sharding.split[static_cast<std::size_t>(at)].clear();
      }
    }
    for (std::size_t k = 0; k < operands.size(); ++k)
      operands[k] = moved(operands[k], needs[k], op.origin);
  }
  static bool splits(const ShardType& type, AxisId axis) {
    for (const std::vector<AxisId>& axes : type.sharding.split)
      if (std::find(axes.begin(), axes.end(), axis) != axes.end()) return true;
    return false;
  }
  std::vector<AxisId>& split_in(ValueId value, Sharding& sharding, DimId dim) const {
    return sharding.split[static_cast<std::size_t>(position(type(value).tensor.dims, dim))];
  }

  ValueId completed(ValueId value, const Operation& op, const std::string& cause) {
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
    ShardType result = type(value);
    result.tensor.dims = dims;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      result.sharding.split[i] = split_of(type(value), dims[i]);
    }
    Map map;
    ScalarInstruction leaf;
    leaf.kind = LeafKind::operand;
    leaf.dtype = result.tensor.dtype;
    leaf.leaf = 0;
    map.body.code = {leaf};
    map.body.results = {0};
    return emit(map, {value}, result, Origin{}, program_.at(value).name);
  }

  ValueId part() {
    if (!part_.valid()) part_ = emit(Feed{"part"}, {}, {{DType::i32, {}}, {}}, Origin{});
    return part_;
  }

  /// The variable with the value added, or the value in the first part; pending if the value is.
  ValueId accumulated(ValueId value, const std::string& path, const std::string& cause,
                      const Origin& origin) {
    ModuleVariable& home = c_.variables.at(path);
    home.type = type(value);
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
    return emit(std::move(map), {before, value, part()}, home.type, origin);
  }

  void leave(const Output& output) {
    ValueId value = homes_[output.value.at()];
    Origin origin = graph_.producer(output.value).origin;
    origin.cause.clear();
    InstructionKind kind = Fetch{output.kind, output.name};
    if (output.kind == Output::Kind::variable || output.kind == Output::Kind::accumulate) {
      const ShardType kept = c_.variables.at(output.name).type;
      value = reordered(value, kept.tensor.dims);
      if (output.kind == Output::Kind::accumulate) {
        value = accumulated(value, output.name, causes_[output.value.at()], origin);
      } else {
        Sharding wanted = kept.sharding;
        wanted.partial.clear();
        value = moved(value, wanted, origin);
      }
      kind = Write{output.name};
    }
    program_.instructions.push_back({std::move(kind), {value}, {}, origin});
  }

  const Graph& graph_;
  const LowerContext& c_;
  std::vector<Pending> pending_;
  std::vector<ValueId> homes_;  // by graph value: where it is in the program
  std::vector<std::string>
      causes_;  // by graph value: the rules that made it partial, if it stays so
  ValueId part_;
  Program program_;
};

}  // namespace

VariableTable::VariableTable(std::vector<ModuleVariable>& variables) : list_(variables) {
  for (std::size_t i = 0; i < list_.size(); ++i) index_[list_[i].path] = i;
}

Program lower_graph(const Graph& graph, const LowerContext& context) {
  return Lowering(graph, context).run();
}

}  // namespace mtfc::lowering
