// Elementwise operations: one row each, the gradient beside the scalar operation, whose own row
// (support/scalar_ops.def) says what it computes and which types it takes. Operands are broadcast
// by name.
#include "ops/literals.h"
#include "ops/rules.h"

namespace mtfc::ops {

namespace {

DimList union_of_operands(const Shapes& s) {
  DimList all;
  for (const TensorType& type : s.operands) all = union_of(all, type.dims);
  return all;
}

/// Bools are ordered for reductions only.
Inferred infer_elementwise(const Shapes& s, ScalarOp scalar) {
  const DType dtype = s.operands[0].dtype;
  for (const TensorType& type : s.operands) {
    if (type.dtype != dtype) return fails("operands of different types");
  }
  const ScalarTypes types = mtfc::row(scalar).types;
  const bool numbers = types == ScalarTypes::numbers || types == ScalarTypes::ordered;
  if (types == ScalarTypes::floats && !is_float(dtype)) return fails("the operand must be a float");
  if (numbers && dtype == DType::boolean) return fails("bool in arithmetic");
  if (types == ScalarTypes::logic && dtype != DType::boolean)
    return fails("the operand must be bool");
  return gives({gives_bool(scalar) ? DType::boolean : dtype, union_of_operands(s)});
}

using Rule = Gradients (*)(const GradientContext&);

OpDef row(ScalarOp scalar, std::string_view summary, Rule gradient) {
  OpDef def{.name = name(scalar),
            .summary = summary,
            .kind = Kind::elementwise,
            .signature = {arity(scalar), arity(scalar), {}},
            .infer = [scalar](const Shapes& s) { return infer_elementwise(s, scalar); },
            .local = [scalar](const Operation& op,
                              const Graph& graph) { return map_of(op, graph, scalar); },
            .scalar = scalar};
  if (gradient)
    def.gradient = gradient;
  else
    def.not_differentiable = "its result does not change smoothly";
  return def;
}

// Short names for the gradient rows below.
ValueId mul(const GradientContext& c, ValueId a, ValueId b) { return c.build.binary("mul", a, b); }
ValueId div(const GradientContext& c, ValueId a, ValueId b) { return c.build.binary("div", a, b); }
ValueId num(const GradientContext& c, double v) { return scalar_like(c.build, v, c.operand(0)); }
ValueId un(const GradientContext& c, const char* op, ValueId a) { return c.build.unary(op, a); }
ValueId like(const GradientContext& c, ValueId g, std::size_t i) {
  return sum_to(c.build, g, c.operand(i));
}

/// g where the operand `i` wins, half of it where both are equal.
Gradients extremum_gradient(const GradientContext& c, const char* first_wins) {
  Builder& b = c.build;
  const ValueId x = c.operand(0), y = c.operand(1);
  const ValueId half = mul(c, c.grad(), num(c, 0.5));
  const ValueId zero = num(c, 0);
  const ValueId tie = b.binary("eq", x, y), first = b.binary(first_wins, x, y);
  const ValueId dx = b.where(tie, half, b.where(first, c.grad(), zero));
  const ValueId dy = b.where(tie, half, b.where(first, zero, c.grad()));
  return {like(c, dx, 0), like(c, dy, 1)};
}

bool is_constant_but_zero(const Graph& graph, ValueId value) {
  const double* number = constant_value(graph.producer(value));
  return number != nullptr && *number != 0;
}

Gradients pow_gradient(const GradientContext& c) {
  Builder& b = c.build;
  const ValueId x = c.operand(0), y = c.operand(1), one = num(c, 1), zero = num(c, 0);
  ValueId less = b.binary("sub", y, one);
  // x^0 is 1 at 0 too, where 0 * x^-1 is not a number.
  if (!is_constant_but_zero(b.graph(), y)) less = b.where(b.binary("eq", y, zero), zero, less);
  const ValueId power = b.binary("pow", x, less);
  const ValueId dx = mul(c, mul(c, c.grad(), y), power);
  // 0 at 0, where 0^y stays 0; below it a power is defined for single exponents alone.
  const ValueId log = un(c, "log", b.where(b.binary("eq", x, zero), one, x));
  return {like(c, dx, 0), like(c, mul(c, mul(c, c.grad(), c.result()), log), 1)};
}

std::vector<OpDef> arithmetic() {
  return {
      row(ScalarOp::add, "a + b",
          [](const GradientContext& c) {
            return Gradients{like(c, c.grad(), 0), like(c, c.grad(), 1)};
          }),
      row(ScalarOp::sub, "a - b",
          [](const GradientContext& c) {
            return Gradients{like(c, c.grad(), 0), like(c, un(c, "neg", c.grad()), 1)};
          }),
      row(ScalarOp::mul, "a * b",
          [](const GradientContext& c) {
            return Gradients{product_to(c.build, c.grad(), c.operand(1), c.operand(0)),
                             product_to(c.build, c.grad(), c.operand(0), c.operand(1))};
          }),
      row(ScalarOp::div, "a / b",
          [](const GradientContext& c) {
            const ValueId da = div(c, c.grad(), c.operand(1));
            return Gradients{like(c, da, 0), like(c, un(c, "neg", mul(c, da, c.result())), 1)};
          }),
      row(ScalarOp::floordiv, "a // b, rounded down", nullptr),
      row(ScalarOp::mod, "a % b, with the sign of b", nullptr),
      row(ScalarOp::min, "the smaller of a and b",
          [](const GradientContext& c) { return extremum_gradient(c, "lt"); }),
      row(ScalarOp::max, "the larger of a and b",
          [](const GradientContext& c) { return extremum_gradient(c, "gt"); }),
      row(ScalarOp::pow, "a ^ b", pow_gradient),
      row(ScalarOp::neg, "-x",
          [](const GradientContext& c) { return Gradients{un(c, "neg", c.grad())}; }),
      row(ScalarOp::abs, "|x|",
          [](const GradientContext& c) {
            return Gradients{mul(c, c.grad(), un(c, "sign", c.operand(0)))};
          }),
      row(ScalarOp::sign, "-1, 0 or 1", nullptr),
  };
}

std::vector<OpDef> functions() {
  return {
      row(ScalarOp::exp, "e ^ x",
          [](const GradientContext& c) { return Gradients{mul(c, c.grad(), c.result())}; }),
      row(ScalarOp::expm1, "e^x - 1, with the digits of a small x",
          [](const GradientContext& c) {
            return Gradients{mul(c, c.grad(), un(c, "exp", c.operand(0)))};
          }),
      row(ScalarOp::log, "the natural logarithm",
          [](const GradientContext& c) { return Gradients{div(c, c.grad(), c.operand(0))}; }),
      row(ScalarOp::log1p, "log(1 + x), with the digits of a small x",
          [](const GradientContext& c) {
            return Gradients{div(c, c.grad(), c.build.binary("add", num(c, 1), c.operand(0)))};
          }),
      row(ScalarOp::sqrt, "the square root",
          [](const GradientContext& c) {
            return Gradients{div(c, mul(c, c.grad(), num(c, 0.5)), c.result())};
          }),
      row(ScalarOp::rsqrt, "1 / sqrt(x)",
          [](const GradientContext& c) {
            const ValueId y = c.result();  // y' = -y^3 / 2
            const ValueId cube = mul(c, y, mul(c, y, y));
            return Gradients{mul(c, c.grad(), mul(c, num(c, -0.5), cube))};
          }),
      row(ScalarOp::sin, "the sine",
          [](const GradientContext& c) {
            return Gradients{mul(c, c.grad(), un(c, "cos", c.operand(0)))};
          }),
      row(ScalarOp::cos, "the cosine",
          [](const GradientContext& c) {
            return Gradients{un(c, "neg", mul(c, c.grad(), un(c, "sin", c.operand(0))))};
          }),
      row(ScalarOp::tanh, "the hyperbolic tangent",
          [](const GradientContext& c) {
            const ValueId y = c.result();
            const ValueId square = mul(c, y, y);
            return Gradients{mul(c, c.grad(), c.build.binary("sub", num(c, 1), square))};
          }),
      row(ScalarOp::sigmoid, "1 / (1 + e^-x)",
          [](const GradientContext& c) {
            const ValueId y = c.result();
            return Gradients{mul(c, c.grad(), mul(c, y, c.build.binary("sub", num(c, 1), y)))};
          }),
      row(ScalarOp::softplus, "log(1 + e^x)",
          [](const GradientContext& c) {
            return Gradients{mul(c, c.grad(), un(c, "sigmoid", c.operand(0)))};
          }),
      row(ScalarOp::erf, "the error function",
          [](const GradientContext& c) {
            const ValueId x = c.operand(0);
            const ValueId bell = un(c, "exp", un(c, "neg", mul(c, x, x)));
            return Gradients{mul(c, c.grad(), mul(c, num(c, 1.1283791670955126), bell))};
          }),
      row(ScalarOp::floor, "rounded down", nullptr),
      row(ScalarOp::ceil, "rounded up", nullptr),
      row(ScalarOp::round, "rounded, halves to even", nullptr),
  };
}

std::vector<OpDef> comparisons() {
  return {
      row(ScalarOp::eq, "a == b", nullptr),
      row(ScalarOp::ne, "a != b", nullptr),
      row(ScalarOp::lt, "a < b", nullptr),
      row(ScalarOp::le, "a <= b", nullptr),
      row(ScalarOp::gt, "a > b", nullptr),
      row(ScalarOp::ge, "a >= b", nullptr),
      row(ScalarOp::logical_and, "a and b", nullptr),
      row(ScalarOp::logical_or, "a or b", nullptr),
      row(ScalarOp::logical_not, "not x", nullptr),
  };
}

Inferred infer_select(const Shapes& s) {
  if (s.operands[0].dtype != DType::boolean) return fails("the condition must be bool");
  if (s.operands[1].dtype != s.operands[2].dtype) return fails("branches of different types");
  return gives({s.operands[1].dtype, union_of_operands(s)});
}

Gradients select_gradient(const GradientContext& c) {
  const ValueId zero = scalar_like(c.build, 0, c.operand(1));
  return {ValueId{}, like(c, c.build.where(c.operand(0), c.grad(), zero), 1),
          like(c, c.build.where(c.operand(0), zero, c.grad()), 2)};
}

/// Functions of one operand are called by their names; the others have operators, or, as `min` of
/// several values, forms of their own.
OpDef called_by_name(OpDef def) {
  const ScalarOp op = *def.scalar;
  const ScalarTypes types = mtfc::row(op).types;
  const bool takes_ints = types == ScalarTypes::numbers || types == ScalarTypes::ordered;
  if (arity(op) != 1 || op == ScalarOp::neg) return def;
  if (!takes_ints && types != ScalarTypes::floats) return def;
  CallForm form;
  form.takes = takes_ints ? CallForm::Takes::numbers : CallForm::Takes::floats;
  def.call = std::move(form);
  return def;
}

Gradients cast_gradient(const GradientContext& c) {
  const DType from = c.build.type(c.operand(0)).dtype;
  return {is_float(from) ? c.build.cast(c.grad(), from) : ValueId{}};
}

}  // namespace

std::vector<OpDef> elementwise_rows() {
  std::vector<OpDef> rows;
  for (auto* list : {arithmetic, functions, comparisons}) {
    for (OpDef& def : list()) rows.push_back(called_by_name(std::move(def)));
  }
  OpDef select = row(ScalarOp::select, "a where the condition holds, else b", select_gradient);
  select.infer = infer_select;
  rows.push_back(std::move(select));

  OpDef cast = row(ScalarOp::cast, "the operand in another type", cast_gradient);
  cast.signature.attributes = {{"dtype", Signature::Type::dtype}};
  cast.infer = [](const Shapes& s) { return gives({s.attrs.dtype("dtype"), s.operands[0].dims}); };
  rows.push_back(std::move(cast));
  return rows;
}

}  // namespace mtfc::ops
