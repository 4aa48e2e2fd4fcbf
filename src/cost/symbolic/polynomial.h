// Sums of products of symbols: what a step counts, as a formula. Symbols are numbers here; what
// they are called and how large they are stands in a table (size_symbols.h).
#pragma once
#include <cstdint>
#include <map>
#include <vector>

namespace mtfc::cost {

/// By symbol, ascending; no power is 0. Negative: it divides.
using Powers = std::vector<std::pair<int, int>>;

/// The order in which the terms of a sum are written: the first symbol's highest power first.
struct PowersOrder {
  bool operator()(const Powers& a, const Powers& b) const;
};

Powers times(const Powers& a, const Powers& b);
Powers over(const Powers& a, const Powers& b);

/// Coefficients are whole numbers below 2^53 in all that mtfc counts, so that sums of them are
/// exact.
class Polynomial {
 public:
  using Terms = std::map<Powers, double, PowersOrder>;

  Polynomial() = default;
  Polynomial(double number);  // NOLINT: a number is one
  Polynomial(double coefficient, const Powers& powers);
  static Polynomial symbol(int number) { return {1, {{number, 1}}}; }

  const Terms& terms() const { return terms_; }
  bool is_zero() const { return terms_.empty(); }
  /// One product at most.
  bool is_product() const { return terms_.size() <= 1; }
  /// `sizes`: by symbol.
  double at(const std::vector<double>& sizes) const;

  Polynomial& operator+=(const Polynomial& other);
  friend Polynomial operator+(Polynomial a, const Polynomial& b) { return a += b; }
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);
  /// `b`: one product, not 0.
  friend Polynomial operator/(const Polynomial& a, const Polynomial& b);
  friend bool operator==(const Polynomial&, const Polynomial&) = default;

 private:
  void add(const Powers& powers, double coefficient);
  Terms terms_;  // no coefficient is 0
};

/// What n processors share out among them: exact where n divides it (support/collective_traffic.h).
Polynomial block_of(const Polynomial& elements, const Polynomial& n);

/// What all terms have in common; the sum is that times the rest.
struct Factored {
  Polynomial common, rest;
};
Factored factored(const Polynomial& sum);

/// The sum without constants and without terms that another outgrows: one that is that term times
/// dimensions, over no more than what divides them. `is_dim`: by symbol; `sizes` decide where mesh
/// axes divide dimensions.
Polynomial leading(const Polynomial& sum, const std::vector<bool>& is_dim,
                   const std::vector<double>& sizes);

}  // namespace mtfc::cost
