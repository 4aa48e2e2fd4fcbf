#include "cost/symbolic/polynomial.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/check.h"

namespace mtfc::cost {
namespace {

/// Walks two ascending lists of powers together: take(symbol, power in a, power in b), until it
/// returns true.
template <class Take>
void merge(const Powers& a, const Powers& b, Take take) {
  auto i = a.begin(), j = b.begin();
  while (i != a.end() || j != b.end()) {
    const bool from_a = j == b.end() || (i != a.end() && i->first <= j->first);
    const bool from_b = i == a.end() || (j != b.end() && j->first <= i->first);
    const int symbol = from_a ? i->first : j->first;
    if (take(symbol, from_a ? i->second : 0, from_b ? j->second : 0)) return;
    if (from_a) ++i;
    if (from_b) ++j;
  }
}

Powers combined(const Powers& a, const Powers& b, int sign) {
  Powers result;
  merge(a, b, [&](int symbol, int x, int y) {
    if (x + sign * y != 0) result.emplace_back(symbol, x + sign * y);
    return false;
  });
  return result;
}

/// Divides last, so that what is whole stays whole.
double size_of_product(const Powers& powers, const std::vector<double>& sizes) {
  double above = 1, below = 1;
  for (const auto& [symbol, power] : powers)
    for (int i = 0; i < std::abs(power); ++i)
      (power > 0 ? above : below) *= sizes[static_cast<std::size_t>(symbol)];
  return above / below;
}

/// a grows as b does, or slower: b is a times dimensions, over no more than what divides them.
bool outgrown(const Powers& a, const Powers& b, const std::vector<bool>& is_dim,
              const std::vector<double>& sizes) {
  const Powers ratio = over(b, a);
  bool dims = false, divided = false;
  for (const auto& [symbol, power] : ratio) {
    const bool dim = is_dim[static_cast<std::size_t>(symbol)];
    if (dim && power < 0) return false;
    dims = dims || dim;
    divided = divided || power < 0;
  }
  return dims ? size_of_product(ratio, sizes) >= 1 : !divided;
}

double greatest_divisor(const Polynomial::Terms& terms) {
  constexpr double exact = 9007199254740992.0;
  std::int64_t divisor = 0;
  for (const auto& [powers, coefficient] : terms) {
    if (std::fabs(coefficient) > exact || coefficient != std::floor(coefficient)) return 1;
    divisor = std::gcd(divisor, static_cast<std::int64_t>(coefficient));
  }
  return static_cast<double>(divisor);
}

}  // namespace

bool PowersOrder::operator()(const Powers& a, const Powers& b) const {
  int order = 0;
  merge(a, b, [&](int, int x, int y) { return (order = x - y) != 0; });
  return order > 0;
}

Powers times(const Powers& a, const Powers& b) { return combined(a, b, 1); }
Powers over(const Powers& a, const Powers& b) { return combined(a, b, -1); }

Polynomial::Polynomial(double number) : Polynomial(number, Powers{}) {}
Polynomial::Polynomial(double coefficient, const Powers& powers) { add(powers, coefficient); }

void Polynomial::add(const Powers& powers, double coefficient) {
  const auto [at, fresh] = terms_.try_emplace(powers, 0);
  at->second += coefficient;
  if (at->second == 0) terms_.erase(at);
}

double Polynomial::at(const std::vector<double>& sizes) const {
  double sum = 0;
  for (const auto& [powers, coefficient] : terms_)
    sum += coefficient * size_of_product(powers, sizes);
  return sum;
}

Polynomial& Polynomial::operator+=(const Polynomial& other) {
  for (const auto& [powers, coefficient] : other.terms_) add(powers, coefficient);
  return *this;
}

Polynomial operator-(const Polynomial& a, const Polynomial& b) { return a + b * -1; }

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial product;
  for (const auto& [left, x] : a.terms_)
    for (const auto& [right, y] : b.terms_) product.add(times(left, right), x * y);
  return product;
}

Polynomial operator/(const Polynomial& a, const Polynomial& b) {
  MTFC_CHECK(b.terms_.size() == 1, "a formula is divided by what is not one product");
  const auto& [under, divisor] = *b.terms_.begin();
  Polynomial quotient;
  for (const auto& [powers, coefficient] : a.terms_)
    quotient.add(over(powers, under), coefficient / divisor);
  return quotient;
}

Polynomial block_of(const Polynomial& elements, const Polynomial& n) { return elements / n; }

Factored factored(const Polynomial& sum) {
  if (sum.is_zero()) return {1, sum};
  Powers common = sum.terms().begin()->first;
  for (const auto& [powers, coefficient] : sum.terms()) {
    Powers shared;  // what multiplies both, or divides both
    merge(common, powers, [&](int symbol, int x, int y) {
      const int power = x > 0 && y > 0 ? std::min(x, y) : x < 0 && y < 0 ? std::max(x, y) : 0;
      if (power != 0) shared.emplace_back(symbol, power);
      return false;
    });
    common = std::move(shared);
  }
  const Polynomial factor(greatest_divisor(sum.terms()), common);
  return {factor, sum / factor};
}

Polynomial leading(const Polynomial& sum, const std::vector<bool>& is_dim,
                   const std::vector<double>& sizes) {
  Polynomial result;
  for (const auto& [powers, coefficient] : sum.terms()) {
    const bool lost =
        std::any_of(sum.terms().begin(), sum.terms().end(), [&, mine = &powers](const auto& other) {
          return other.first != *mine && outgrown(*mine, other.first, is_dim, sizes);
        });
    if (!lost) result += Polynomial(1, powers);
  }
  return result;
}

}  // namespace mtfc::cost
