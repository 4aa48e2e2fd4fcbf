// How many blanks the house style puts between two tokens of one line.
#pragma once
#include <vector>

#include "frontend/syntax/format_marks.h"
#include "frontend/syntax/tokens.h"

namespace mtfc::syntax {

class Spacing {
 public:
  Spacing(const Tokens& tokens, const FormatMarks& marks) : tokens_(tokens), marks_(marks) {}
  /// Before token `at`, which is not the first; `bracket` is the type of the innermost open one
  /// (0: none), not counting `at` itself.
  std::size_t before(std::size_t at, std::size_t bracket) const;

 private:
  bool is_keyword(std::size_t at) const;
  bool is_prefix(std::size_t at) const;
  bool touches_left(std::size_t at, std::size_t bracket) const;
  bool touches_right(std::size_t at, std::size_t bracket) const;
  const Tokens& tokens_;
  const FormatMarks& marks_;
};

}  // namespace mtfc::syntax
