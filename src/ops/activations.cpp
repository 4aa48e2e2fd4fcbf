// Elementwise composites: what each is in terms of the elementwise rows. Their gradients follow.
#include <cmath>

#include "ops/rules.h"

namespace mtfc::ops {

namespace {

using Expand = ValueId (*)(Builder&, ValueId);

OpDef activation(std::string_view name, std::string_view summary, Expand expand) {
  return {.name = name,
          .summary = summary,
          .infer =
              [](const Shapes& s) {
                return is_float(s.operands[0].dtype) ? gives(s.operands[0])
                                                     : fails("the operand must be a float");
              },
          .expand =
              [expand](Builder& b, const Operation& op) {
                return std::vector<ValueId>{expand(b, op.operands[0])};
              },
          .call = CallForm{}};
}

ValueId num(Builder& b, double v, ValueId x) { return scalar_like(b, v, x); }

/// Gradient 0 at 0, and NaN stays NaN.
ValueId relu(Builder& b, ValueId x) {
  const ValueId zero = num(b, 0, x);
  return b.where(b.binary("le", x, zero), zero, x);
}

ValueId leaky_relu(Builder& b, ValueId x) {
  const ValueId low = b.binary("mul", x, num(b, 0.2, x));
  return b.where(b.binary("gt", x, num(b, 0, x)), x, low);
}

/// The tanh form (Hendrycks and Gimpel, arXiv 1606.08415, section 2).
ValueId gelu(Builder& b, ValueId x) {
  const ValueId cube = b.binary("mul", x, b.binary("mul", x, x));
  const ValueId inner = b.binary("add", x, b.binary("mul", num(b, 0.044715, x), cube));
  const ValueId t =
      b.unary("tanh", b.binary("mul", num(b, std::sqrt(2 / 3.14159265358979324), x), inner));
  const ValueId twice = b.binary("add", num(b, 1, x), t);
  return b.binary("mul", b.binary("mul", num(b, 0.5, x), x), twice);
}

ValueId silu(Builder& b, ValueId x) { return b.binary("mul", x, b.unary("sigmoid", x)); }

/// e^min(x, 0) - 1: the branch that is not taken must not overflow, or its gradient is NaN.
ValueId below_zero(Builder& b, ValueId x) {
  const ValueId zero = num(b, 0, x);
  return b.unary("expm1", b.where(b.binary("gt", x, zero), zero, x));
}

ValueId elu(Builder& b, ValueId x) {
  const ValueId low = below_zero(b, x);
  return b.where(b.binary("gt", x, num(b, 0, x)), x, low);
}

/// Klambauer et al., arXiv 1706.02515, equation 2.
ValueId selu(Builder& b, ValueId x) {
  const double alpha = 1.6732632423543772, scale = 1.0507009873554805;
  const ValueId curve = below_zero(b, x);
  const ValueId low = b.binary("mul", num(b, alpha, x), curve);
  const ValueId chosen = b.where(b.binary("gt", x, num(b, 0, x)), x, low);
  return b.binary("mul", num(b, scale, x), chosen);
}

ValueId square(Builder& b, ValueId x) { return b.binary("mul", x, x); }
ValueId reciprocal(Builder& b, ValueId x) { return b.binary("div", num(b, 1, x), x); }

}  // namespace

std::vector<OpDef> activations_rows() {
  return {activation("relu", "x where positive, else 0", relu),
          activation("leaky_relu", "x where positive, else 0.2 x", leaky_relu),
          activation("gelu", "the Gaussian error linear unit, tanh form", gelu),
          activation("silu", "x sigmoid(x)", silu),
          activation("elu", "x where positive, else e^x - 1", elu),
          activation("selu", "the scaled exponential linear unit", selu),
          activation("square", "x * x", square),
          activation("reciprocal", "1 / x", reciprocal)};
}

}  // namespace mtfc::ops
