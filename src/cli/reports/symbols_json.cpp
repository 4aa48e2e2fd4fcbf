#include "cli/reports/symbols_json.h"

#include "messages/render.h"
#include "support/json.h"

namespace mtfc::cli {
namespace {

std::string json_spans(const std::vector<Span>& spans, const SourceMap& sources) {
  std::vector<std::string> all;
  for (const Span& span : spans) all.push_back(json_object(json_span(span, sources)));
  return json_array(all);
}

/// "dimension" of "a dimension"
std::string_view kind_word(const mtfc::Symbol& symbol) {
  const std::string_view text = describe(symbol.kind);
  return text.substr(text.find(' ') + 1);
}

std::string json_symbol(const mtfc::Symbol& symbol, const SourceMap& sources) {
  std::vector<std::string> instances;
  for (const mtfc::Symbol::Instance& one : symbol.instances)
    instances.push_back(json_object({{"path", json(one.path)}, {"type", json(one.type)}}));
  return json_object({{"name", json(symbol.name)},
                      {"kind", json(kind_word(symbol))},
                      {"declared", json_object(json_span(symbol.declared, sources))},
                      {"uses", json_spans(symbol.uses, sources)},
                      {"implied", json_spans(symbol.implied, sources)},
                      {"instances", json_array(instances)}});
}

}  // namespace

std::string symbols_json(const mtfc::Symbols& symbols, const SourceMap& sources) {
  std::vector<std::string> all;
  for (const mtfc::Symbol& symbol : symbols.all()) all.push_back(json_symbol(symbol, sources));
  return json_array(all);
}

}  // namespace mtfc::cli
