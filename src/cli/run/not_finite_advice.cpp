#include "cli/run/not_finite_advice.h"

namespace mtfc::cli {
namespace {

/// Of a gradient, which is of another operation than the model's text has there.
constexpr const char* of_gradient =
    "`sqrt`, `log`, `/` and powers have no finite gradient at 0 or beyond, which a `where` around "
    "them does not take away: keep what they are given from 0, `sqrt(max(x, 1e-6))`, or choose "
    "before, `sqrt(where(x > 0, x, 1))`";

bool is_division(ScalarOp op) {
  return op == ScalarOp::div || op == ScalarOp::floordiv || op == ScalarOp::mod;
}

/// What an operation was asked that is not defined, for operands that are finite.
std::string advice_on_operation(ScalarOp op, NotFinite result) {
  const bool infinite = result != NotFinite::not_a_number;
  if (is_division(op))
    return std::string("the divisor is 0") + (infinite ? ", or too small" : "") +
           ": `a / where(b == 0, 1, b)` divides by 1 there";
  switch (op) {
    case ScalarOp::log:
      return std::string("the logarithm is of ") + (infinite ? "0" : "a negative number") +
             ": `log(max(x, 1e-6))`, say, is finite";
    case ScalarOp::log1p:
      return "`log1p` is of -1 or less: `log1p(max(x, -0.999))`, say, is finite";
    case ScalarOp::sqrt:
      return "the root is of a negative number: `sqrt(max(x, 1e-6))`, say, is finite, and so is "
             "its gradient";
    case ScalarOp::rsqrt:
      return std::string("the root by which is divided is of ") +
             (infinite ? "0" : "a negative number") + ": `rsqrt(max(x, 1e-6))`, say, is finite";
    case ScalarOp::pow:
      return infinite ? "the power is too large, or one of 0 with a negative exponent: "
                        "`max(x, 1e-6) ^ p`, say, keeps from 0"
                      : "the power is of a negative number with an exponent that is not whole: "
                        "`max(x, 1e-6) ^ p`, say, is finite";
    default:
      return "";
  }
}

}  // namespace

std::string advice_on(const backends::NotFiniteBegin& begin) {
  // What is not a number is made of an infinity, if one was there: that is where to look.
  const bool before = begin.infinite_since && !begin.from_finite;
  const std::optional<ScalarOp> op = before ? begin.operation_since : begin.operation;
  const Phase phase = before ? begin.infinite_since->phase : begin.origin.phase;
  if (!op || phase == Phase::update || (!begin.from_finite && !before)) return "";
  const std::string advice = advice_on_operation(*op, before ? NotFinite::infinite : begin.kind);
  if (phase != Phase::backward) return advice;
  return advice.empty() ? "" : of_gradient;
}

}  // namespace mtfc::cli
