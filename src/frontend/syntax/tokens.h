// The tokens of a text as a plain list, for everything that is not the parser: nesting, errors,
// formatting.
#pragma once
#include <antlr4-runtime.h>

#include <memory>
#include <vector>

#include "frontend/syntax/byte_stream.h"
#include "messages/source_map.h"

namespace mtfc::syntax {

struct Word {
  std::size_t type;  // of MtfLexer
  std::uint32_t begin, end;
};

/// All tokens of one text; the last one is EOF, at the end of the text.
class Tokens {
 public:
  Tokens(std::string_view text, FileId file);
  ~Tokens();
  Tokens(const Tokens&) = delete;

  std::size_t size() const { return words_.size(); }
  const Word& operator[](std::size_t at) const { return words_[at]; }
  /// EOF (the last token) for any place outside.
  std::size_t type(std::size_t at) const;
  std::string_view text(std::size_t at) const;
  Span span(std::size_t at) const { return {file_, words_[at].begin, words_[at].end}; }
  FileId file() const { return file_; }
  /// The first token of its line.
  bool begins_line(std::size_t at) const;
  /// For the parser; tokens have the same numbers there.
  antlr4::CommonTokenStream& stream();
  /// Takes a token away from the parser.
  void hide(std::size_t at);

 private:
  struct Antlr;
  std::string_view text_;
  FileId file_;
  std::vector<Word> words_;
  std::unique_ptr<Antlr> antlr_;
};

}  // namespace mtfc::syntax
