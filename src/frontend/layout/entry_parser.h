// The generated parser of grammar/Layout.g4, one entry at a time and without its exceptions.
#pragma once
#include <LayoutLexer.h>
#include <LayoutParser.h>

#include <memory>

#include "messages/source_map.h"

namespace mtfc::layout {

using grammar::LayoutLexer;
using grammar::LayoutParser;

/// Where the parser stopped: the first token that cannot stand where it stands.
struct Stop {
  std::size_t entry = 0;  // number of the first token of what was being parsed
  std::size_t offending = 0;
};

/// Tokens are those of the grammar without comments and white space; offsets are bytes.
class EntryParser {
 public:
  explicit EntryParser(std::string_view text);
  ~EntryParser();

  /// The entry at the current token, null if it is wrong (then `stop` says where). The tree lives
  /// until the next call.
  LayoutParser::EntryContext* entry();
  /// The same for the text of --mesh.
  LayoutParser::MeshTextContext* mesh_text();
  const Stop& stop() const { return stop_; }

  // The tokens.
  std::size_t position() const { return position_; }
  void move_to(std::size_t position) { position_ = position; }
  bool at_end() const { return type(position_) == antlr4::Token::EOF; }
  const antlr4::Token& token(std::size_t i) const { return *tokens_[std::min(i, last())]; }
  std::size_t type(std::size_t i) const { return token(i).getType(); }
  std::size_t last() const { return tokens_.size() - 1; }  // the end of the file
  int line(std::size_t i) const { return static_cast<int>(token(i).getLine()); }

 private:
  class Parts;
  template <class Context>
  Context* run(Context* (LayoutParser::*rule)());
  std::unique_ptr<Parts> parts_;
  std::vector<antlr4::Token*> tokens_;
  std::size_t position_ = 0;
  Stop stop_;
};

}  // namespace mtfc::layout
