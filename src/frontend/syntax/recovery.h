// After the first mistake: parse statement by statement, to report several in one pass.
#pragma once
#include "frontend/syntax/failure.h"
#include "frontend/syntax/tokens.h"
#include "frontend/syntax/tree_builder.h"

namespace mtfc::syntax {

class Recovery {
 public:
  Recovery(const SourceMap& sources, Tokens& tokens, Parser& parser, const StopAtMistake& stop,
           Diagnostics& diagnostics)
      : sources_(sources),
        tokens_(tokens),
        parser_(parser),
        stop_(stop),
        diagnostics_(diagnostics),
        builder_(sources, tokens.file(), diagnostics) {}

  /// Goes through the whole text and reports what does not parse, at most `most` mistakes.
  void report_all();
  static constexpr std::size_t most = 20;

 private:
  bool parse_one(std::size_t at);
  void report(std::size_t start);
  void count_braces(std::size_t from, std::size_t to);
  std::size_t next_start(std::size_t from) const;
  std::size_t skip_settings(const Failure& failure, std::size_t start, std::size_t from) const;
  bool continues_broken_if(std::size_t at) const;
  bool continues_broken_dim(std::size_t at) const;

  const SourceMap& sources_;
  Tokens& tokens_;
  Parser& parser_;
  const StopAtMistake& stop_;
  Diagnostics& diagnostics_;
  Builder builder_;
  std::vector<std::size_t> open_;  // braces of broken statements whose inside is being parsed
  std::size_t at_ = 0;
};

/// Semicolons are taken away from the parser, with one diagnostic for all of them.
void remove_semicolons(const SourceMap& sources, Tokens& tokens, Diagnostics& diagnostics);

}  // namespace mtfc::syntax
