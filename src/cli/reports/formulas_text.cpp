#include "cli/reports/formulas_text.h"

#include <fmt/core.h>

#include <set>

#include "cli/options/usage.h"
#include "cli/reports/traffic_text.h"
#include "cost/symbolic/formula_text.h"
#include "messages/wrap.h"
#include "support/figures.h"
#include "support/text.h"

namespace mtfc::cli {
namespace {

using cost::Formula;
using cost::Formulas;
using cost::Polynomial;
using cost::Symbol;
using cost::Symbols;

std::string below(const std::string& text, std::size_t indent) {
  return std::string(indent, ' ') + wrapped(text, {indent, indent + 2, output_columns()}) + "\n";
}

std::string row(const std::string& what, const Formula& formula, const Symbols& symbols,
                const char* unit) {
  const Polynomial total = formula.total();
  if (total.is_zero()) return "";
  return fmt::format("  {:<24} {:>16}\n", what, scaled(total.at(symbols.sizes()), unit)) +
         below(to_string(formula, symbols), 6);
}

std::string memory_rows(const Formulas& formulas) {
  std::string text;
  for (const cost::Kept& kept : formulas.memory)
    text += row(std::string(name(kept.role)), kept.bytes, formulas.symbols, "B");
  return text;
}

std::string collective_rows(const Formulas& formulas) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const cost::CollectiveFormula& one : formulas.collectives)
    rows.emplace_back(
        one.first.cause,
        fmt::format("    {:>5}  {}\n", whole_text(one.calls.at(formulas.symbols.sizes())),
                    collective_name(one.first, 66)) +
            below(to_string(one.elements, formulas.symbols), 11));
  if (rows.empty()) return "\nnothing is communicated\n";
  return "\n    calls  collective, elements of the operands together\n" + under_rules(rows);
}

/// "d_ff = 4*d_model": what formulas have the factors of, then the sizes of what is in them.
std::string names_text(const Formulas& formulas) {
  const Symbols& symbols = formulas.symbols;
  std::set<int> used;
  for (const Polynomial& sum :
       {formulas.flops.total(), formulas.elements.total(), formulas.memory_elements()})
    for (const auto& [powers, coefficient] : sum.terms())
      for (const auto& [symbol, power] : powers) used.insert(symbol);
  std::string text;
  const auto add = [&](const std::string& one) { text += (text.empty() ? "" : ", ") + one; };
  for (const Symbols::Definition& definition : symbols.definitions())
    add(definition.name + " = " + to_string(definition.product, symbols));
  for (const int number : used) {
    const Symbol& symbol = symbols.all()[static_cast<std::size_t>(number)];
    add(symbol.name + (symbol.formula.empty() ? "" : " = " + symbol.formula) + " = " +
        whole_text(symbol.size));
  }
  if (text.empty()) return "";
  return "\n" + wrapped("where " + text, {0, 2, output_columns()}) + "\n";
}

}  // namespace

std::string formulas_text(const Formulas& formulas) {
  const Symbols& symbols = formulas.symbols;
  std::string text = row("work", formulas.flops, symbols, "FLOP");
  text += memory_rows(formulas);
  text += row("collectives' operands", formulas.bytes, symbols, "B");
  text += row("  sent", formulas.sent, symbols, "B");
  return text + collective_rows(formulas) + names_text(formulas);
}

std::string leading_text(const Formulas& formulas) {
  const cost::LeadingFormulas leading = leading_of(formulas);
  const auto row = [&](const char* what, const Polynomial& sum) {
    const std::string head = fmt::format("  {:<24} ", what);
    return head + wrapped(to_string(sum, formulas.symbols), {head.size(), 29, output_columns()}) +
           "\n";
  };
  std::string text = row("work", leading.flops) + row("communication", leading.elements);
  if (leading.ratio) text += row("communication / work", *leading.ratio);
  return text + row("memory", leading.memory) + names_text(formulas);
}

}  // namespace mtfc::cli
