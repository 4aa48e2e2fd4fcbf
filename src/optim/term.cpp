#include "optim/term.h"

namespace mtfc::optim {

namespace {
Term unary(const char* op, Term a) { return {a.build, a.build->unary(op, a.id)}; }
Term binary(const char* op, Term a, Term b) { return {a.build, a.build->binary(op, a.id, b.id)}; }
}  // namespace

Term operator+(Term a, Term b) { return binary("add", a, b); }
Term operator-(Term a, Term b) { return binary("sub", a, b); }
Term operator*(Term a, Term b) { return binary("mul", a, b); }
Term operator/(Term a, Term b) { return binary("div", a, b); }

Term min(Term a, double b) { return binary("min", a, a.like(b)); }
Term max(Term a, double b) { return binary("max", a, a.like(b)); }
Term max(Term a, Term b) { return binary("max", a, b); }
Term pow(Term a, double exponent) { return binary("pow", a, a.like(exponent)); }
Term pow(double base, Term exponent) { return binary("pow", exponent.like(base), exponent); }
Term square(Term a) { return unary("square", a); }
Term sqrt(Term a) { return unary("sqrt", a); }
Term rsqrt(Term a) { return unary("rsqrt", a); }
Term cos(Term a) { return unary("cos", a); }
Term floor(Term a) { return unary("floor", a); }
Term cast(Term a, DType dtype) { return {a.build, a.build->cast(a.id, dtype)}; }

Term less(Term a, Term b) { return binary("lt", a, b); }
Term both_positive(Term a, Term b) {
  const Term second = binary("gt", b, b.like(0));
  return binary("logical_and", binary("gt", a, a.like(0)), second);
}
Term where(Term condition, Term yes, Term no) {
  return {yes.build, yes.build->where(condition.id, yes.id, no.id)};
}

Term mean(Term a, DimList over) {
  return {a.build, a.build->mean(a.id, std::move(over), std::nullopt)};
}
Term norm(Term a) {
  const ValueId squares = square(a).id;
  return sqrt({a.build, a.build->reduce_to(Combine::sum, squares, {})});
}
Term rms(Term a) { return sqrt(mean(square(a), a.dims())); }

}  // namespace mtfc::optim
