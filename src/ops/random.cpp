// Random numbers: functions of seed, path, step and position.
#include "ops/rules.h"
#include "support/scalar.h"

namespace mtfc::ops {

namespace {

Inferred infer_random(const Shapes& s) {
  if (!distribution_named(s.attrs.text("distribution"))) return fails("unknown distribution");
  if (s.operands.size() > 2) return fails("a random sample takes the step and the first position");
  for (const TensorType& type : s.operands) {
    if (type != TensorType{DType::i32, {}})
      return fails("an operand of a random sample must be one int");
  }
  const DType dtype = s.attrs.dtype("dtype");
  const Distribution distribution = *distribution_named(s.attrs.text("distribution"));
  const bool fits = distribution == Distribution::integers    ? dtype == DType::i32
                    : distribution == Distribution::bernoulli ? dtype == DType::boolean
                                                              : is_float(dtype);
  if (!fits) return fails("a random sample of another type");
  const DimList& dims = s.attrs.dims("dims");
  const auto* order = s.attrs.find("order");
  if (order && !same_set(std::get<DimList>(*order), dims))
    return fails("a random sample is over other dimensions than the result");
  if (s.operands.size() == 2 && !s.attrs.find("numbered"))
    return fails("a random sample counts along no dimension");
  const auto* every = s.attrs.find("every");
  if (every && std::get<std::int64_t>(*every) < 1) return fails("a random sample counts backwards");
  return declared_type(s);
}

Factors random_factors(const Operation& op, const Graph& graph) {
  Factors factors;
  for (DimId dim : graph.at(op.results[0]).type.dims) {
    factors.list.push_back({Role::created, std::vector<DimId>(op.operands.size()), dim});
  }
  return factors;
}

Map random_map(const Operation& op, const Graph& graph) {
  const TensorType& type = graph.at(op.results[0]).type;
  Map map = map_of_leaf(LeafKind::random, type.dtype);
  Map::Random random;
  random.distribution = *distribution_named(op.attrs.text("distribution"));
  random.a = op.attrs.number("a");
  random.b = op.attrs.number("b");
  random.key = op.attrs.integer("key");
  const auto* order = op.attrs.find("order");
  random.dims = order ? std::get<DimList>(*order) : type.dims;
  random.step_operand = op.operands.empty() ? -1 : 0;
  random.first_operand = op.operands.size() > 1 ? 1 : -1;
  if (random.first_operand >= 0) random.numbered = dim_of(op, "numbered");
  if (const auto* every = op.attrs.find("every")) random.every = std::get<std::int64_t>(*every);
  map.random_leaves.push_back(std::move(random));
  return map;
}

}  // namespace

std::vector<OpDef> random_rows() {
  return {{.name = "random",
           .summary = "a random sample, a function of seed, path, step and position",
           .kind = Kind::random,
           .signature = {0,
                         2,
                         {{"distribution", Type::text},
                          {"a", Type::number},
                          {"b", Type::number},
                          {"key", Type::integer},
                          {"dtype", Type::dtype},
                          {"dims", Type::dims},
                          {"order", Type::dims, true},
                          {"numbered", Type::dim, true},
                          {"every", Type::integer, true}}},
           .infer = infer_random,
           .factors = random_factors,
           .not_differentiable = "it has no operand that a gradient could reach",
           .local = random_map}};
}

}  // namespace mtfc::ops
