#include "lowering/spmd/lower_graph.h"

#include <algorithm>

#include "layout/resolve.h"
#include "lowering/spmd/partial_sums.h"
#include "ops/op.h"
#include "support/program_names.h"

namespace mtfc::lowering {

namespace {

class Lowering {
 public:
  Lowering(const Graph& graph, const LowerContext& context)
      : graph_(graph),
        c_(context),
        moves_(context.dims, context.assignment.mesh),
        partial_(find_partial_sums(graph, context)),
        homes_(graph.values.size()),
        kept_(graph.values.size()),
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
    program_.instructions.push_back({std::move(kind), std::move(operands), {id}, origin, role_});
    return id;
  }

  /// `value` split as `wanted`; the causes are the rules of the dimensions that move.
  ValueId moved(ValueId value, const Sharding& wanted, const Origin& origin) {
    const ShardType from = type(value);
    const DimList all = from.tensor.dims;
    return moved(value, moves_.between(all, from.sharding, wanted).steps, origin, all);
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
      why.cause = cause(moved, all);
      value = std::visit(
          [&](const auto& s) { return emit(s, {value}, std::move(result), why, name); }, step);
    }
    return value;
  }
  std::string rule(DimId dim, AxisId axis) const {
    const std::string& text = c_.assignment.cause(dim);
    return text.empty() ? c_.dims[dim].name + ":" + c_.assignment.mesh.name(axis) : text;
  }
  using Moved = std::pair<DimId, AxisId>;
  std::string cause(Moved moved, DimList all) const {
    all.insert(all.begin(), moved.first);  // its own rule is the best answer
    for (DimId dim : all) {
      const std::vector<AxisId>& ruled = c_.assignment.axes(dim);
      if (std::find(ruled.begin(), ruled.end(), moved.second) != ruled.end())
        return rule(dim, moved.second);
    }
    const auto& kept = c_.assignment.kept;
    if (const auto scope = kept.find(reading_.empty() ? role_.parameter : reading_);
        scope != kept.end())
      return scope->second.cause;
    // No rule splits what only the sharded update does (shard_update.h).
    return role_.kind == StepRole::Kind::update ? "update=sharded"
                                                : rule(moved.first, moved.second);
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
        for (AxisId axis : c_.assignment.axes(dim)) {
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
    role_ = op.role;
    OpForm form = form_of(op, graph_, ops::local_instruction(op, graph_));
    const InstructionKind& kind = *form.local;
    const auto* read = std::get_if<Read>(&kind);
    reading_ = read ? read->variable : "";
    if (read) form.kept = c_.variables.at(read->variable).type.sharding;
    const ValueId result = op.results[0];
    const std::string& name = graph_.at(result).name;
    std::vector<ValueId> operands;
    std::vector<const Sharding*> given;
    for (ValueId id : op.operands) operands.push_back(homes_[id.at()]);
    for (ValueId id : operands) given.push_back(&type(id).sharding);
    const Resolved made =
        resolve(moves_, form, given, {c_.table[result.at()], partial_[result.at()].stays});

    const bool view = std::holds_alternative<Rearrange>(kind);
    const DimList& dims = form.result.dims;
    const DimList all = view ? union_of(form.operands[0].dims, dims) : dims;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const Resolved::Operand& demand = made.operands[k];
      if (demand.completed) operands[k] = completed(operands[k], op, causes_[op.operands[k].at()]);
      // What is wanted as the variable is kept need not be cut out of what was gathered.
      const ValueId kept = kept_[op.operands[k].at()];
      if (kept.valid() && type(kept).sharding == demand.sharding) {
        operands[k] = kept;
        continue;
      }
      operands[k] =
          moved(operands[k], demand.moves->steps, op.origin, view ? all : form.operands[k].dims);
    }
    ValueId value = emit(kind, std::move(operands), {form.result, made.made}, op.origin, name);
    if (read && !made.made.is_partial()) kept_[result.at()] = value;
    if (made.made.is_partial()) {
      const std::string cause =
          read ? c_.variables.cause(read->variable) : cause_of_partial(op, made.made.partial);
      if (made.completed)
        value = completed(value, op, cause);
      else
        causes_[result.at()] = cause;
    }
    homes_[result.at()] = moved(value, made.moves->steps, op.origin, all);
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
    return emit(std::move(map), {before, value, microbatch()}, home.type, origin);
  }

  void leave(const Output& output) {
    ValueId value = homes_[output.value.at()];
    Origin origin = graph_.producer(output.value).origin;
    role_ = graph_.producer(output.value).role;
    reading_.clear();
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
    program_.instructions.push_back({std::move(kind), {value}, {}, origin, role_});
  }

  const Graph& graph_;
  const LowerContext& c_;
  MoveTable moves_;
  std::vector<PartialSum> partial_;
  std::vector<ValueId> homes_;  // by graph value: where it is in the program
  std::vector<ValueId> kept_;   // of what reads a variable: as that is kept
  std::vector<std::string>
      causes_;  // by graph value: the rules that made it partial, if it stays so
  ValueId microbatch_;
  StepRole role_;        // of the operation that is being lowered
  std::string reading_;  // the variable that it reads
  Program program_;
};

}  // namespace

Program lower_graph(const Graph& graph, const LowerContext& context) {
  return Lowering(graph, context).run();
}

}  // namespace mtfc::lowering
