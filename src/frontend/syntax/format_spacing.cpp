#include "frontend/syntax/format_spacing.h"

#include <MtfLexer.h>

#include "frontend/syntax/words.h"

namespace mtfc::syntax {

using Lexer = grammar::MtfLexer;

/// A reserved word in its role: not `data` in `x.data`, where it is a name.
bool Spacing::is_keyword(std::size_t at) const {
  if (marks_.keywords.contains(tokens_[at].begin)) return true;
  if (!is_reserved(tokens_[at].type)) return false;
  if (tokens_[at].type == Lexer::TRUE || tokens_[at].type == Lexer::FALSE) return false;
  return at == 0 || (tokens_[at - 1].type != Lexer::DOT && tokens_[at - 1].type != Lexer::AT);
}

/// `-` as a sign.
bool Spacing::is_prefix(std::size_t at) const {
  if (tokens_[at].type != Lexer::MINUS || at == 0) return false;
  const bool value = ends_value(tokens_[at - 1].type) || is_reserved(tokens_[at - 1].type);
  return is_keyword(at - 1) || !value;
}

bool Spacing::touches_left(std::size_t at, std::size_t bracket) const {
  const bool word_before = !is_keyword(at - 1);
  const std::size_t before = tokens_[at - 1].type;
  switch (tokens_[at].type) {
    case Lexer::COMMA:
    case Lexer::COLON:
    case Lexer::DOT:
    case Lexer::RPAREN:
    case Lexer::RBRACKET:
    case Lexer::AT:
    case Lexer::POWER:
      return true;
    case Lexer::EQUALS:
      return bracket == Lexer::LPAREN;
    case Lexer::LPAREN:
      return word_before && (is_name(before) || is_reserved(before));
    case Lexer::LBRACKET:
      return word_before && (ends_value(before) || is_reserved(before)) &&
             !marks_.apart.contains(tokens_[at].begin);
    default:
      return false;
  }
}

bool Spacing::touches_right(std::size_t at, std::size_t bracket) const {
  switch (tokens_[at].type) {
    case Lexer::DOT:
    case Lexer::LPAREN:
    case Lexer::LBRACKET:
    case Lexer::AT:
    case Lexer::POWER:
      return true;
    case Lexer::COLON:
      return bracket == Lexer::LBRACKET;  // lo:hi, but `x: int`
    case Lexer::EQUALS:
      return bracket == Lexer::LPAREN;
    case Lexer::MINUS:
      return is_prefix(at);
    default:
      return false;
  }
}

std::size_t Spacing::before(std::size_t at, std::size_t bracket) const {
  const std::size_t last = tokens_[at - 1].type;
  const bool separated = last == Lexer::LBRACE || last == Lexer::COMMA;
  if (marks_.items.contains(tokens_[at].begin)) return separated ? 1 : 2;
  return touches_left(at, bracket) || touches_right(at - 1, bracket) ? 0 : 1;
}

}  // namespace mtfc::syntax
