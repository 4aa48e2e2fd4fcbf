#include "cost/symbolic/formula_text.h"

#include <algorithm>
#include <cmath>

#include "support/json.h"
#include "support/text.h"

namespace mtfc::cost {
namespace {

/// Writes one product. Mesh axes stand behind the dimension that they split, where it occurs.
class ProductText {
 public:
  ProductText(const Powers& powers, const Symbols& symbols)
      : left_(powers.begin(), powers.end()), symbols_(symbols) {}

  /// `coefficient`: not negative.
  std::string text(double coefficient) {
    std::string text = coefficient == 1 ? "" : whole_text(coefficient);
    for (const auto& [symbol, power] : std::map<int, int>(left_)) {
      if (power < 0) continue;
      text += (text.empty() ? "" : "*") + written(symbol, power) + axes_of(symbol);
    }
    if (text.empty()) text = "1";
    for (const auto& [symbol, power] : left_)
      if (power < 0) text += "/" + written(symbol, -power);
    return text;
  }

 private:
  std::string written(int symbol, int power) const {
    const std::string& name = symbols_.all()[static_cast<std::size_t>(symbol)].name;
    return power == 1 ? name : name + "^" + std::to_string(power);
  }
  /// Those that still divide, each once.
  std::string axes_of(int symbol) {
    std::string text;
    const auto [begin, end] = symbols_.split().equal_range(symbol);
    for (auto at = begin; at != end; ++at) {
      const auto axis = left_.find(at->second);
      if (axis == left_.end() || axis->second >= 0) continue;
      text += "/" + written(axis->first, 1);
      if (++axis->second == 0) left_.erase(axis);
    }
    return text;
  }

  std::map<int, int> left_;
  const Symbols& symbols_;
};

std::string product_text(const Powers& powers, double coefficient, const Symbols& symbols) {
  return ProductText(powers, symbols).text(coefficient);
}

std::string sum_text(const Polynomial& sum, const Symbols& symbols) {
  std::string text;
  for (const auto& [powers, coefficient] : sum.terms()) {
    const bool minus = coefficient < 0;
    text += text.empty() ? (minus ? "-" : "") : minus ? " - " : " + ";
    text += product_text(powers, std::fabs(coefficient), symbols);
  }
  return text;
}

/// Written as terms with signs between them, and not as a product.
bool is_plain_sum(const Polynomial& sum) {
  return !sum.is_product() && factored(sum).common == Polynomial(1);
}

}  // namespace

std::string to_string(const Polynomial& sum, const Symbols& symbols) {
  if (sum.is_zero()) return "0";
  if (sum.is_product()) return sum_text(sum, symbols);
  if (is_plain_sum(sum)) return sum_text(sum, symbols);
  const auto [common, rest] = factored(sum);
  const auto& [powers, coefficient] = *common.terms().begin();
  const bool divides =
      std::all_of(powers.begin(), powers.end(), [](const auto& power) { return power.second < 0; });
  if (divides && coefficient == 1)
    return "(" + sum_text(rest, symbols) + ")" + product_text(powers, 1, symbols).substr(1);
  return product_text(powers, coefficient, symbols) + "*(" + sum_text(rest, symbols) + ")";
}

std::string to_string(const Formula& formula, const Symbols& symbols) {
  std::string text;
  for (const Formula::Part& part : formula.parts) {
    std::string each = to_string(part.each, symbols);
    if (part.times > 1)
      each = std::to_string(part.times) + "*" + (is_plain_sum(part.each) ? "(" + each + ")" : each);
    text += (text.empty() ? "" : " + ") + each;
  }
  return text.empty() ? "0" : text;
}

std::string to_json(const Polynomial& sum, const Symbols& symbols) {
  std::vector<std::string> terms;
  for (const auto& [powers, coefficient] : sum.terms()) {
    JsonFields fields;
    for (const auto& [symbol, power] : powers)
      fields.emplace_back(symbols.all()[static_cast<std::size_t>(symbol)].name, json(power));
    terms.push_back(
        json_object({{"coefficient", json(coefficient)}, {"powers", json_object(fields)}}));
  }
  return json_object({{"text", json(to_string(sum, symbols))},
                      {"value", json(sum.at(symbols.sizes()))},
                      {"terms", json_array(terms)}});
}

std::string to_json(const Formula& formula, const Symbols& symbols) {
  std::vector<std::string> parts;
  for (const Formula::Part& part : formula.parts)
    parts.push_back(json_object({{"times", json(part.times)},
                                 {"blocks", json(part.blocks)},
                                 {"each", json(to_string(part.each, symbols))}}));
  return json_object({{"", to_json(formula.total(), symbols)}, {"parts", json_array(parts)}});
}

}  // namespace mtfc::cost
