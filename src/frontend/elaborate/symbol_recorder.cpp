#include "frontend/elaborate/symbol_recorder.h"

#include <algorithm>

namespace mtfc::elab {

std::size_t SymbolRecorder::root(std::size_t node) const {
  while (nodes_[node].parent != node) node = nodes_[node].parent;
  return node;
}

/// The earlier one stays.
void SymbolRecorder::unite(std::size_t a, std::size_t b) {
  a = root(a);
  b = root(b);
  if (a == b || nodes_[a].symbol.name != nodes_[b].symbol.name) return;
  nodes_[std::max(a, b)].parent = std::min(a, b);
}

void SymbolRecorder::declare(Symbol::Kind kind, const std::string& name, Span declared) {
  const auto [it, fresh] = at_.try_emplace({declared.file, declared.begin}, nodes_.size());
  if (!fresh) return;
  Symbol symbol;
  symbol.kind = kind;
  symbol.name = name;
  symbol.declared = declared;
  nodes_.push_back({std::move(symbol), nodes_.size()});
}

void SymbolRecorder::use(Span declared, Span use) {
  const auto found = at_.find({declared.file, declared.begin});
  if (found == at_.end() || !use.valid()) return;
  Symbol& symbol = nodes_[found->second].symbol;
  while (use.end > use.begin && sources_.text(use) != symbol.name) {
    if (sources_.text(use).back() != '\'') return;
    --use.end;  // of an alias
  }
  const auto [it, fresh] = at_.try_emplace({use.file, use.begin}, found->second);
  if (fresh)
    symbol.uses.push_back(use);
  else
    unite(it->second, found->second);
}

void SymbolRecorder::imply(Span declared, Span call) {
  const auto found = at_.find({declared.file, declared.begin});
  if (found == at_.end()) return;
  std::vector<Span>& implied = nodes_[found->second].symbol.implied;
  if (std::find(implied.begin(), implied.end(), call) == implied.end()) implied.push_back(call);
}

void SymbolRecorder::instance(Span declared, const std::string& path, const std::string& type) {
  const auto found = at_.find({declared.file, declared.begin});
  if (found == at_.end() || !paths_.insert({found->second, path}).second) return;
  nodes_[found->second].symbol.instances.push_back({path, type});
}

Symbols SymbolRecorder::finish() const {
  std::vector<Symbol> symbols;
  std::map<std::size_t, std::size_t> of_root;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Symbol& part = nodes_[i].symbol;
    const auto [it, fresh] = of_root.try_emplace(root(i), symbols.size());
    if (fresh) {
      symbols.push_back(part);
      continue;
    }
    Symbol& whole = symbols[it->second];
    whole.uses.push_back(part.declared);
    whole.uses.insert(whole.uses.end(), part.uses.begin(), part.uses.end());
    whole.implied.insert(whole.implied.end(), part.implied.begin(), part.implied.end());
    whole.instances.insert(whole.instances.end(), part.instances.begin(), part.instances.end());
  }
  return Symbols(std::move(symbols));
}

}  // namespace mtfc::elab
