// The symbol table of a model: what each name in its text stands for, where it is declared and
// where it is used. It outlives the elaboration, for editors, renames and questions about a model.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "messages/source_map.h"

namespace mtfc {

/// One name as declared in the text. Blocks and `repeat`s elaborate their text several times: the
/// symbol is one, with an instance for each.
struct Symbol {
  enum class Kind {
    dimension,  // `dim`, and formals that stand for dimensions
    constant,
    input,
    parameter,
    state,
    value,     // `name = e` and samples
    argument,  // a formal of a block
    counter,   // of a `repeat`
    data,      // a data source
    block,
    instance,  // `instance f = block@name`
    label,     // a segment of paths: `block@label`, `repeat@label`
    output,    // the name of a loss or metric
    file,      // a used file, as in `nn.dense`
  };
  struct Instance {
    std::string path;  // "layers.0.attn.q"
    std::string type;  // "f32[batch, io]" of a tensor, "64" of a dimension or number; or empty
  };

  Kind kind{};
  std::string name;
  Span declared;           // of a file: the path after `use`
  std::vector<Span> uses;  // in the order of the text, new assignments included; `declared` is not
  /// Calls that pass this dimension to a formal of the same name without writing it.
  std::vector<Span> implied;
  std::vector<Instance> instances;  // in the order of elaboration; those in training first
};
std::string_view describe(Symbol::Kind kind);

class Symbols {
 public:
  Symbols() = default;
  explicit Symbols(std::vector<Symbol> symbols);

  /// In the order of the text, file by file.
  const std::vector<Symbol>& all() const { return symbols_; }
  /// The symbol whose name is written at this byte, or ends there; null if there is none.
  const Symbol* at(FileId file, std::uint32_t offset) const;
  /// Every span where a symbol's name is written: its declaration and its uses, in order.
  static std::vector<Span> occurrences(const Symbol& symbol);

 private:
  struct Occurrence {
    std::uint32_t end;
    std::size_t symbol;
  };
  std::vector<Symbol> symbols_;
  std::map<std::pair<FileId, std::uint32_t>, Occurrence> by_begin_;
};

}  // namespace mtfc
