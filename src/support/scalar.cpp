#include "support/scalar.h"

#include <array>
#include <limits>

namespace mtfc {
namespace {

namespace forms {

#include "support/scalar_functions.inc"

#include "support/scalar_forms.inc"

}  // namespace forms

template <ScalarOp op>
double evaluate_form(DType dtype, double a, double b, double c) {
  if (!takes(op, dtype)) return std::numeric_limits<double>::quiet_NaN();
  if (is_float(dtype)) {
    if constexpr (takes(op, DType::f64)) return forms::Form<op>::of(a, b, c);
  } else if constexpr (row(op).types == ScalarTypes::numbers) {
    const auto i32 = [](double x) { return forms::Wrapping(static_cast<std::int32_t>(x)); };
    return forms::Form<op>::of(i32(a), i32(b), i32(c)).value;
  } else if constexpr (takes(op, DType::boolean)) {
    // Nothing that bool takes too leaves the range of its operands.
    return forms::Form<op>::of(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b),
                               static_cast<std::int32_t>(c));
  }
  return std::numeric_limits<double>::quiet_NaN();
}

constexpr double (*evaluators[])(DType, double, double, double) = {
#define MTFC_SCALAR_OP(name, ...) evaluate_form<ScalarOp::name>,
#include "support/scalar_ops.def"
#undef MTFC_SCALAR_OP
};

// In the order of the enum.
constexpr std::array<std::string_view, 5> distribution_names = {
    "uniform", "normal", "truncated_normal", "integers", "bernoulli"};

}  // namespace

std::optional<ScalarOp> scalar_op_named(std::string_view name) {
  for (int i = 0; i < scalar_op_count; ++i)
    if (scalar_op_rows[i].name == name) return static_cast<ScalarOp>(i);
  return std::nullopt;
}

double evaluate(ScalarOp op, DType dtype, double a, double b, double c) {
  return evaluators[static_cast<int>(op)](dtype, a, b, c);
}

std::string_view name(Distribution distribution) {
  return distribution_names[static_cast<std::size_t>(distribution)];
}

std::optional<Distribution> distribution_named(std::string_view name) {
  for (std::size_t i = 0; i < distribution_names.size(); ++i)
    if (distribution_names[i] == name) return static_cast<Distribution>(i);
  return std::nullopt;
}

}  // namespace mtfc
