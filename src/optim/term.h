// Formulas over values of a graph, written as formulas. A number takes the type of what it meets.
// C++ does not say which operand is evaluated first: where both append operations one of them gets
// a name, so that every compiler appends in the same order.
#pragma once
#include "ops/builder.h"

namespace mtfc::optim {

/// A value and the builder that its operations are appended to.
struct Term {
  ops::Builder* build = nullptr;
  ValueId id;

  DType dtype() const { return build->type(id).dtype; }
  const DimList& dims() const { return build->type(id).dims; }
  /// A number of the same type, without dimensions.
  Term like(double value) const { return {build, build->constant(value, dtype())}; }
};

Term operator+(Term a, Term b);
Term operator-(Term a, Term b);
Term operator*(Term a, Term b);
Term operator/(Term a, Term b);
inline Term operator+(Term a, double b) { return a + a.like(b); }
inline Term operator-(Term a, double b) { return a - a.like(b); }
inline Term operator*(Term a, double b) { return a * a.like(b); }
inline Term operator/(Term a, double b) { return a / a.like(b); }
inline Term operator+(double a, Term b) { return b.like(a) + b; }
inline Term operator-(double a, Term b) { return b.like(a) - b; }
inline Term operator*(double a, Term b) { return b.like(a) * b; }
inline Term operator/(double a, Term b) { return b.like(a) / b; }

Term min(Term a, double b);
Term max(Term a, double b);
Term max(Term a, Term b);
Term pow(Term a, double exponent);
Term pow(double base, Term exponent);
Term square(Term a);
Term sqrt(Term a);
Term rsqrt(Term a);
Term cos(Term a);
Term floor(Term a);
Term cast(Term a, DType dtype);

/// Comparisons give bool terms for `where`.
Term less(Term a, Term b);
Term both_positive(Term a, Term b);
Term where(Term condition, Term yes, Term no);

/// The mean over some dimensions; sum and mean of squares over all.
Term mean(Term a, DimList over);
Term norm(Term a);  // the root of the sum of squares
Term rms(Term a);   // the root of the mean of squares

}  // namespace mtfc::optim
