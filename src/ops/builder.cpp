#include "ops/builder.h"

#include "ops/op.h"
#include "support/check.h"

namespace mtfc::ops {

std::vector<ValueId> Builder::apply_many(const std::string& op, std::vector<ValueId> operands,
                                         Attrs attrs) {
  const OpDef& def = op_named(op);
  std::vector<TensorType> types;
  for (ValueId id : operands) {
    MTFC_CHECK(id.valid(), "operand of `" + op + "` is missing");
    types.push_back(type(id));
  }
  Inferred inferred = def.infer({dims_, types, attrs});
  MTFC_CHECK(inferred.error.empty(), "`" + op + "`: " + inferred.error);

  Operation& made = append({op, std::move(operands), std::move(attrs), {}, origin, role});
  for (TensorType& type : inferred.types) add_result(made, std::move(type), {});
  return made.results;
}

Operation& Builder::append(Operation operation) {
  return graph_.ops.emplace_back(std::move(operation));
}

void Builder::add_result(Operation& operation, TensorType type, SharedText name) {
  const OpId producer{static_cast<std::int32_t>(&operation - graph_.ops.data())};
  const int number = static_cast<int>(operation.results.size());
  operation.results.push_back(next_id<ValueId>(graph_.values));
  graph_.values.push_back({std::move(type), std::move(name), producer, number});
}

std::vector<ValueId> Builder::copy(const Graph& from, const Operation& op,
                                   std::vector<ValueId> operands) {
  follow(op);
  bool same = true;
  for (std::size_t i = 0; i < operands.size(); ++i)
    same = same && type(operands[i]) == from.at(op.operands[i]).type;
  if (same) {
    Operation& made = append({op.op, std::move(operands), op.attrs, {}, origin, role});
    for (ValueId id : op.results) add_result(made, from.at(id).type, from.at(id).name);
    return made.results;
  }
  const std::vector<ValueId> results = apply_many(op.op, std::move(operands), op.attrs);
  for (std::size_t i = 0; i < results.size(); ++i)
    set_name(results[i], from.at(op.results[i]).name);
  return results;
}

ValueId Builder::apply(const std::string& op, std::vector<ValueId> operands, Attrs attrs) {
  return apply_many(op, std::move(operands), std::move(attrs))[0];
}

void Builder::set_name(ValueId id, SharedText name) {
  SharedText& slot = graph_.values[id.at()].name;
  if (slot.empty()) slot = std::move(name);
}

// ---------------------------------------------------------------- sources
ValueId Builder::constant(double value, DType dtype, DimList dims) {
  return apply("constant", {}, {{"value", value}, {"dtype", dtype}, {"dims", std::move(dims)}});
}
ValueId Builder::index(DimId dim) { return apply("index", {}, {{"dim", DimList{dim}}}); }
ValueId Builder::input(const std::string& name, TensorType type) {
  return apply("input", {}, {{"name", name}, {"dtype", type.dtype}, {"dims", type.dims}});
}
ValueId Builder::read(const std::string& variable, TensorType type) {
  return apply("read", {}, {{"variable", variable}, {"dtype", type.dtype}, {"dims", type.dims}});
}
ValueId Builder::step() { return apply("step", {}); }
ValueId Builder::random(Distribution distribution, double a, double b, std::int64_t key,
                        TensorType type, bool fresh) {
  std::vector<ValueId> operands;
  if (fresh) operands.push_back(step());
  return apply("random", std::move(operands),
               {{"distribution", std::string(name(distribution))},
                {"a", a},
                {"b", b},
                {"key", key},
                {"dtype", type.dtype},
                {"dims", type.dims}});
}

// ---------------------------------------------------------------- elementwise
ValueId Builder::unary(const std::string& op, ValueId x) { return apply(op, {x}); }

namespace {
/// The value of a dimensionless constant.
const double* scalar_constant(const Graph& graph, ValueId id) {
  const Operation& op = graph.producer(id);
  if (op.op != "constant" || !graph.at(id).type.dims.empty()) return nullptr;
  return std::get_if<double>(op.attrs.find("value"));
}
}  // namespace

ValueId Builder::binary(const std::string& op, ValueId a, ValueId b) {
  if (op == "pow" && is_float(type(a).dtype)) {
    if (const double* exponent = scalar_constant(graph_, b)) {
      if (*exponent == 2) return unary("square", a);
      if (*exponent == 1) return a;
      if (*exponent == 0.5) return unary("sqrt", a);
      if (*exponent == -0.5) return unary("rsqrt", a);
      if (*exponent == -1) return unary("reciprocal", a);
    }
  }
  return apply(op, {a, b});
}
ValueId Builder::where(ValueId condition, ValueId a, ValueId b) {
  return apply("select", {condition, a, b});
}
ValueId Builder::cast(ValueId x, DType dtype) {
  return type(x).dtype == dtype ? x : apply("cast", {x}, {{"dtype", dtype}});
}
ValueId Builder::broadcast(ValueId x, DimList dims) {
  return type(x).dims == dims ? x : apply("broadcast", {x}, {{"dims", std::move(dims)}});
}
ValueId Builder::stop_gradient(ValueId x) { return apply("stop_gradient", {x}); }

// ---------------------------------------------------------------- products and reductions
ValueId Builder::einsum(std::vector<ValueId> operands, DimList reduced) {
  DimList to;
  for (ValueId id : operands) to = union_of(to, type(id).dims);
  return einsum_to(std::move(operands), without(to, reduced));
}
ValueId Builder::einsum_to(std::vector<ValueId> operands, DimList to) {
  return apply("einsum", std::move(operands), {{"to", std::move(to)}});
}
ValueId Builder::reduce(Combine kind, ValueId x, DimList reduced) {
  return reduce_to(kind, x, without(type(x).dims, reduced));
}
ValueId Builder::reduce_to(Combine kind, ValueId x, DimList to) {
  if (same_set(type(x).dims, to) && (kind != Combine::sum || type(x).dtype != DType::boolean)) {
    return broadcast(x, std::move(to));
  }
  return apply("reduce", {x}, {{"kind", std::string(name(kind))}, {"to", std::move(to)}});
}
ValueId Builder::mean(ValueId x, DimList reduced, std::optional<ValueId> weight) {
  std::vector<ValueId> operands{x};
  if (weight) operands.push_back(*weight);
  return apply("mean", std::move(operands), {{"reduced", std::move(reduced)}});
}
ValueId Builder::argmax(ValueId x, DimList reduced) {
  return apply("argmax", {x}, {{"reduced", std::move(reduced)}});
}
ValueId Builder::softmax(ValueId x, DimList over) {
  return apply("softmax", {x}, {{"over", std::move(over)}});
}
ValueId Builder::log_softmax(ValueId x, DimList over) {
  return apply("log_softmax", {x}, {{"over", std::move(over)}});
}
ValueId Builder::logsumexp(ValueId x, DimList over) {
  return apply("logsumexp", {x}, {{"over", std::move(over)}});
}
ValueId Builder::cross_entropy(ValueId logits, ValueId t, DimId v, double smoothing,
                               double z_loss) {
  return apply("cross_entropy", {logits, t},
               {{"over", DimList{v}}, {"smoothing", smoothing}, {"z_loss", z_loss}});
}
ValueId Builder::one_hot(ValueId x, DimId fresh, DType dtype) {
  return cast(binary("eq", x, index(fresh)), dtype);
}

// ---------------------------------------------------------------- views
ValueId Builder::view(ValueId x, std::vector<DimGroup> groups) {
  return groups.empty() ? x : apply("view", {x}, {{"groups", std::move(groups)}});
}
ValueId Builder::slice(ValueId x, DimId dim, std::int64_t begin, DimId fresh) {
  return apply("slice", {x}, {{"dim", DimList{dim}}, {"fresh", DimList{fresh}}, {"begin", begin}});
}
ValueId Builder::gather(ValueId x, DimList dims, std::vector<ValueId> indices, double fill) {
  std::vector<ValueId> operands{x};
  operands.insert(operands.end(), indices.begin(), indices.end());
  return apply("gather", std::move(operands), {{"dims", std::move(dims)}, {"fill", fill}});
}
ValueId Builder::window(ValueId x, std::vector<WindowItem> items, double fill) {
  return apply("window", {x}, {{"items", std::move(items)}, {"fill", fill}});
}
}  // namespace mtfc::ops
