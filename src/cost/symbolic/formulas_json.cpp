#include "cost/collective_groups.h"
#include "cost/symbolic/formula_text.h"
#include "cost/symbolic/formulas.h"
#include "support/json.h"

namespace mtfc::cost {
namespace {

std::string_view name(Symbol::Kind kind) {
  switch (kind) {
    case Symbol::Kind::dim:
      return "dimension";
    case Symbol::Kind::axis:
      return "mesh_axis";
    case Symbol::Kind::microbatches:
      return "microbatches";
  }
  return "";
}

std::string symbols_json(const Symbols& symbols) {
  std::vector<std::string> all;
  for (const Symbol& symbol : symbols.all())
    all.push_back(json_object({{"name", json(symbol.name)},
                               {"kind", json(name(symbol.kind))},
                               {"size", json(static_cast<std::int64_t>(symbol.size))},
                               {"formula", json(symbol.formula)}}));
  return json_array(all);
}

std::string definitions_json(const Symbols& symbols) {
  JsonFields all;
  for (const Symbols::Definition& definition : symbols.definitions())
    all.emplace_back(definition.name, json(to_string(definition.product, symbols)));
  return json_object(all);
}

std::string leading_json(const Formulas& formulas) {
  const LeadingFormulas leading = leading_of(formulas);
  const auto text = [&](const Polynomial& sum) { return json(to_string(sum, formulas.symbols)); };
  return json_object({{"flops", text(leading.flops)},
                      {"elements", text(leading.elements)},
                      {"elements_by_flops", leading.ratio ? text(*leading.ratio) : "null"},
                      {"memory_elements", text(leading.memory)}});
}

}  // namespace

std::string to_json(const Formulas& formulas) {
  const Symbols& symbols = formulas.symbols;
  std::vector<std::string> memory, collectives;
  for (const Kept& kept : formulas.memory)
    memory.push_back(json_object({{"role", json(json_key(kept.role))},
                                  {"elements", to_json(kept.elements, symbols)},
                                  {"bytes", to_json(kept.bytes, symbols)}}));
  for (const CollectiveFormula& one : formulas.collectives) {
    JsonFields fields = origin_fields(one.first);
    fields.emplace_back("calls", to_json(one.calls, symbols));
    fields.emplace_back("elements", to_json(one.elements, symbols));
    collectives.push_back(json_object(fields));
  }
  return json_object({{"symbols", symbols_json(symbols)},
                      {"definitions", definitions_json(symbols)},
                      {"flops", to_json(formulas.flops, symbols)},
                      {"elements", to_json(formulas.elements, symbols)},
                      {"bytes", to_json(formulas.bytes, symbols)},
                      {"elements_sent", to_json(formulas.sent_elements, symbols)},
                      {"bytes_sent", to_json(formulas.sent, symbols)},
                      {"calls", to_json(formulas.calls, symbols)},
                      {"memory", json_array(memory)},
                      {"collectives", json_array(collectives)},
                      {"leading", leading_json(formulas)}});
}

}  // namespace mtfc::cost
