// Operations without tensor operands: constants, positions, inputs, variables, draws.
#include "ops/rules.h"
#include "support/scalar.h"

namespace mtfc::ops {

namespace {
Inferred declared_type(const Shapes& s) {
  return gives({s.attrs.dtype("dtype"), s.attrs.dims("dims")});
}
Inferred int_scalar(const Shapes&) { return gives({DType::i32, {}}); }

OpDef source(std::string_view name, std::string_view summary,
             std::function<Inferred(const Shapes&)> infer) {
  OpDef def;
  def.name = name;
  def.summary = summary;
  def.infer = std::move(infer);
  def.factors = factors_by_name;
  def.not_differentiable = "it has no operand that a gradient could reach";
  return def;
}

Inferred infer_random(const Shapes& s) {
  if (!draw_named(s.attrs.text("draw"))) return fails("unknown distribution");
  if (s.operands.size() > 2) return fails("a draw takes the step and the first position");
  for (const TensorType& type : s.operands) {
    if (type != TensorType{DType::i32, {}}) return fails("an operand of a draw must be one int");
  }
  return declared_type(s);
}

Factors random_factors(const Operation& op, const Graph& graph) {
  Factors factors;
  for (DimId dim : graph.at(op.results[0]).type.dims) {
    factors.list.push_back({Role::created, std::vector<DimId>(op.operands.size()), dim});
  }
  return factors;
}
}  // namespace

std::vector<OpDef> source_ops() {
  std::vector<OpDef> rows;
  rows.push_back(source("constant", "a tensor with one value everywhere", declared_type));
  rows.push_back(source("index", "the positions 0 .. size-1 of a dimension", [](const Shapes& s) {
    return gives({DType::i32, s.attrs.dims("dim")});
  }));
  rows.push_back(source("input", "a field of a data source", declared_type));
  rows.push_back(source("read", "a variable's value before the step", declared_type));
  rows.push_back(source("step", "the number of the step, from 0", int_scalar));
  rows.push_back(source("steps", "how many steps the run has", int_scalar));
  rows.push_back(source("examples", "how many examples of the batch are real", int_scalar));
  rows.push_back(source("first_example", "the number of the batch's first example", int_scalar));
  rows.push_back(source("position", "the newest token's position, in generation", int_scalar));
  rows.push_back(source("part", "the number of the micro-batch, from 0", int_scalar));
  OpDef random =
      source("random", "a draw, a function of seed, path, step and position", infer_random);
  random.factors = random_factors;
  rows.push_back(std::move(random));
  return rows;
}

}  // namespace mtfc::ops
