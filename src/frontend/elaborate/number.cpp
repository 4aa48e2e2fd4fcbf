#include "frontend/elaborate/number.h"

#include <cmath>

#include "support/text.h"

namespace mtfc::elab {
namespace {

using ast::BinaryOp;

/// `value` as an exact integer where it is one and fits, as a double otherwise.
Number exact_if_whole(double value) {
  if (std::nearbyint(value) == value && std::fabs(value) < 9.0e15)
    return Number::whole(static_cast<std::int64_t>(value));
  return Number::of(value);
}

std::optional<Number> exact_result(BinaryOp op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflow = true;
  if (op == BinaryOp::add) overflow = __builtin_add_overflow(a, b, &result);
  if (op == BinaryOp::subtract) overflow = __builtin_sub_overflow(a, b, &result);
  if (op == BinaryOp::multiply) overflow = __builtin_mul_overflow(a, b, &result);
  if (overflow) return std::nullopt;
  return Number::whole(result);
}

std::optional<Number> divide(const Number& a, const Number& b) {
  if (b.value() == 0) return std::nullopt;
  const bool exact = a.exact && b.exact && b.integer != -1 && a.integer % b.integer == 0;
  if (exact) return Number::whole(a.integer / b.integer);
  if (a.exact && b.exact && b.integer == -1) return negated(a);
  return Number::of(a.value() / b.value());
}

std::optional<Number> divide_down(const Number& a, const Number& b, bool remainder) {
  if (b.value() == 0) return std::nullopt;
  if (!a.exact || !b.exact || b.integer == -1) {
    const double quotient = std::floor(a.value() / b.value());
    return exact_if_whole(remainder ? a.value() - quotient * b.value() : quotient);
  }
  std::int64_t quotient = a.integer / b.integer, rest = a.integer % b.integer;
  if (rest != 0 && (rest < 0) != (b.integer < 0)) {
    --quotient;
    rest += b.integer;
  }
  return Number::whole(remainder ? rest : quotient);
}

Number power(const Number& a, const Number& b) {
  if (!a.exact || !b.exact || b.integer < 0 || b.integer > 64)
    return Number::of(std::pow(a.value(), b.value()));
  Number result = Number::whole(1);
  for (std::int64_t i = 0; i < b.integer; ++i) result = *arithmetic(BinaryOp::multiply, result, a);
  return result;
}

}  // namespace

std::optional<std::int64_t> Number::as_integer() const {
  if (exact) return integer;
  constexpr double limit = 9223372036854775808.0;  // 2^63
  if (std::nearbyint(real) != real || !(real >= -limit && real < limit)) return std::nullopt;
  return static_cast<std::int64_t>(real);
}

std::string to_string(double value) { return shortest(value); }

std::string to_string(const Number& number) {
  return number.exact ? std::to_string(number.integer) : to_string(number.real);
}

namespace {

std::optional<Number> computed(BinaryOp op, const Number& a, const Number& b) {
  if (op == BinaryOp::divide) return divide(a, b);
  if (op == BinaryOp::floor_divide) return divide_down(a, b, false);
  if (op == BinaryOp::modulo) return divide_down(a, b, true);
  if (op == BinaryOp::power) return power(a, b);
  if (a.exact && b.exact) {
    if (const auto exact = exact_result(op, a.integer, b.integer)) return exact;
  }
  const double x = a.value(), y = b.value();
  if (op == BinaryOp::add) return Number::of(x + y);
  if (op == BinaryOp::subtract) return Number::of(x - y);
  return Number::of(x * y);
}

Number quotient(Number number) {
  number.quotient = true;
  return number;
}

}  // namespace

std::optional<Number> arithmetic(BinaryOp op, const Number& a, const Number& b) {
  const std::optional<Number> result = computed(op, a, b);
  const bool rounds = op == BinaryOp::floor_divide || op == BinaryOp::modulo;
  const bool divides = op == BinaryOp::divide || (!rounds && (a.quotient || b.quotient));
  return result && divides ? quotient(*result) : result;
}

Number negated(const Number& a) { return *arithmetic(BinaryOp::subtract, Number::whole(0), a); }

bool compare(BinaryOp op, const Number& a, const Number& b) {
  const bool exact = a.exact && b.exact;
  const double x = a.value(), y = b.value();
  const bool less = exact ? a.integer < b.integer : x < y;
  const bool equal = exact ? a.integer == b.integer : x == y;
  switch (op) {
    case BinaryOp::equal:
      return equal;
    case BinaryOp::not_equal:
      return !equal;
    case BinaryOp::less:
      return less;
    case BinaryOp::less_equal:
      return less || equal;
    case BinaryOp::greater:
      return exact ? !less && !equal : x > y;
    default:
      return exact ? !less : x >= y;
  }
}

std::optional<Number> static_function(const std::string& name, const Number& a) {
  if (name == "abs") return a.value() < 0 ? negated(a) : a;
  if (name == "sqrt") return quotient(exact_if_whole(std::sqrt(a.value())));
  if (name == "log") return Number::of(std::log(a.value()));
  if (name == "exp") return Number::of(std::exp(a.value()));
  if (name != "floor" && name != "ceil" && name != "round") return std::nullopt;
  if (a.exact) return Number::whole(a.integer);
  if (name == "floor") return exact_if_whole(std::floor(a.real));
  if (name == "ceil") return exact_if_whole(std::ceil(a.real));
  return exact_if_whole(std::nearbyint(a.real));
}

}  // namespace mtfc::elab
