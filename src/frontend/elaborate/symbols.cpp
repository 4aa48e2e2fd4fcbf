#include "frontend/elaborate/symbols.h"

#include <algorithm>

namespace mtfc {

namespace {
bool in_order(const Span& a, const Span& b) {
  return a.file != b.file ? a.file < b.file : a.begin < b.begin;
}
}  // namespace

Symbols::Symbols(std::vector<Symbol> symbols) : symbols_(std::move(symbols)) {
  std::stable_sort(symbols_.begin(), symbols_.end(), [](const Symbol& a, const Symbol& b) {
    return in_order(a.declared, b.declared);
  });
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    std::sort(symbols_[i].uses.begin(), symbols_[i].uses.end(), in_order);
    for (const Span& span : occurrences(symbols_[i]))
      by_begin_[{span.file, span.begin}] = {span.end, i};
  }
}

const Symbol* Symbols::at(FileId file, std::uint32_t offset) const {
  auto it = by_begin_.upper_bound({file, offset});
  if (it == by_begin_.begin()) return nullptr;
  --it;
  const bool inside = it->first.first == file && offset <= it->second.end;
  return inside ? &symbols_[it->second.symbol] : nullptr;
}

std::vector<Span> Symbols::occurrences(const Symbol& symbol) {
  std::vector<Span> spans = symbol.uses;
  spans.insert(std::upper_bound(spans.begin(), spans.end(), symbol.declared, in_order),
               symbol.declared);
  return spans;
}

std::string_view describe(Symbol::Kind kind) {
  using K = Symbol::Kind;
  switch (kind) {
    case K::dimension:
      return "a dimension";
    case K::constant:
      return "a constant";
    case K::input:
      return "an input";
    case K::parameter:
      return "a parameter";
    case K::state:
      return "a state";
    case K::value:
      return "a value";
    case K::argument:
      return "an argument";
    case K::counter:
      return "a counter";
    case K::data:
      return "a data source";
    case K::block:
      return "a block";
    case K::instance:
      return "an instance";
    case K::label:
      return "a label";
    case K::output:
      return "an output";
    case K::file:
      return "a used file";
  }
  return "a name";
}

}  // namespace mtfc
