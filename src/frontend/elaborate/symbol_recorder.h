// Collects the symbol table while a model is elaborated, in training and in evaluation.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/elaborate/symbols.h"

namespace mtfc::elab {

class SymbolRecorder {
 public:
  explicit SymbolRecorder(const SourceMap& sources) : sources_(sources) {}

  /// The name at `declared` is one of that kind; noted once for all instances.
  void declare(Symbol::Kind kind, const std::string& name, Span declared);
  /// The name at `use` means what is declared at `declared`. Nothing is noted unless the text there
  /// is the name: names are also looked up that nobody wrote.
  void use(Span declared, Span use);
  void imply(Span declared, Span call);
  void instance(Span declared, const std::string& path, const std::string& type);
  /// Where a name may mean one of two declarations (by `if`), they are one symbol.
  Symbols finish() const;

 private:
  using Key = std::pair<FileId, std::uint32_t>;
  struct Node {
    Symbol symbol;
    std::size_t parent;
  };
  std::size_t root(std::size_t node) const;
  void unite(std::size_t a, std::size_t b);

  const SourceMap& sources_;
  std::vector<Node> nodes_;
  std::map<Key, std::size_t> at_;  // by where a name begins
  std::set<std::pair<std::size_t, std::string>> paths_;
};

}  // namespace mtfc::elab
