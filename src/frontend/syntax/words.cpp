#include "frontend/syntax/words.h"

#include <MtfParser.h>

#include <algorithm>

#include "support/text.h"

namespace mtfc::syntax {

using Parser = grammar::MtfParser;

bool begins_statement(std::size_t type) {
  return (type >= Parser::USE && type <= Parser::IF) ||
         (type >= Parser::LOSS && type <= Parser::TRAIN);
}

bool is_reserved(std::size_t type) { return type >= Parser::USE && type <= Parser::FALSE; }
bool is_name(std::size_t type) { return type == Parser::NAME || type == Parser::IN; }

bool opens(std::size_t type) {
  return type == Parser::LPAREN || type == Parser::LBRACKET || type == Parser::LBRACE;
}

bool closes(std::size_t type) {
  return type == Parser::RPAREN || type == Parser::RBRACKET || type == Parser::RBRACE;
}

// The grammar lists every closing bracket right after its opening one.
std::size_t closer_of(std::size_t opening) { return opening + 1; }
static_assert(Parser::RPAREN == Parser::LPAREN + 1 && Parser::RBRACKET == Parser::LBRACKET + 1 &&
              Parser::RBRACE == Parser::LBRACE + 1);

bool ends_value(std::size_t type) {
  return is_name(type) || type == Parser::NUMBER || type == Parser::STRING ||
         type == Parser::TRUE || type == Parser::FALSE || type == Parser::RPAREN ||
         type == Parser::RBRACKET;
}

std::string spelled(std::size_t type) {
  switch (type) {
    case Parser::NAME:
    case Parser::IN:
      return "a name";
    case Parser::NUMBER:
      return "a number";
    case Parser::STRING:
      return "a string in double quotes";
    default:
      break;
  }
  static const std::vector<std::string> literals = [] {
    // `'use'` with quotes, in the order of the token types.
    std::vector<std::string> names;
    Parser parser(nullptr);
    for (std::size_t i = 0; i <= Parser::GE; ++i)
      names.push_back(parser.getVocabulary().getLiteralName(i));
    return names;
  }();
  if (type >= literals.size() || literals[type].size() < 2) return "the end of the file";
  return "`" + literals[type].substr(1, literals[type].size() - 2) + "`";
}

std::string quoted(std::string_view text) { return backquoted(text, 40); }

std::string found(const Tokens& tokens, std::size_t at) {
  const std::size_t type = tokens.type(at);
  if (type == antlr4::Token::EOF) return "the end of the file";
  if (is_reserved(type)) return "the reserved word " + quoted(tokens.text(at));
  if (type == Parser::STRING) return "a string";
  return quoted(tokens.text(at));
}

namespace {

/// The token after the bracket that closes the one at `at`; EOF's number if it is far or missing.
std::size_t after_bracket(const Tokens& tokens, std::size_t at) {
  constexpr std::size_t far = 200;  // no list of dimensions has so many tokens
  int depth = 0;
  for (std::size_t i = at; i < tokens.size() && i < at + far; ++i) {
    if (opens(tokens[i].type)) ++depth;
    if (closes(tokens[i].type) && --depth == 0) return i + 1;
  }
  return tokens.size() - 1;
}

bool looks_like_definition(const Tokens& tokens, std::size_t at) {
  if (!is_name(tokens[at].type)) return false;
  std::size_t next = at + 1;
  if (tokens.text(at) == "scan" && is_name(tokens.type(next)))
    return tokens.type(next + 1) == Parser::OVER;
  if (tokens.type(next) == Parser::LBRACKET) next = after_bracket(tokens, next);
  if (tokens.type(next) == Parser::COLON && is_name(tokens.type(next + 1))) next += 2;
  if (tokens.type(next) == Parser::COMMA) {  // a, b = f(x)
    while (tokens.type(next) == Parser::COMMA && is_name(tokens.type(next + 1))) next += 2;
  }
  return tokens.type(next) == Parser::EQUALS || tokens.type(next) == Parser::TILDE;
}

}  // namespace

bool could_begin_statement(const Tokens& tokens, std::size_t at) {
  const std::size_t type = tokens[at].type;
  const std::size_t before = at == 0 ? std::size_t{Parser::RBRACE} : tokens[at - 1].type;
  const bool asks_for_more =
      before == Parser::COMMA || before == Parser::LPAREN || before == Parser::LBRACKET;
  if (!begins_statement(type)) return !asks_for_more && looks_like_definition(tokens, at);
  if (tokens.type(at + 1) == Parser::EQUALS) return !asks_for_more;
  if (type == Parser::IF) return ends_value(before) || closes(before) || before == Parser::LBRACE;
  return type != Parser::DIM || !asks_for_more;
}

bool looks_like_statement(const Tokens& tokens, std::size_t at) {
  return at < tokens.size() && tokens.begins_line(at) && could_begin_statement(tokens, at);
}

}  // namespace mtfc::syntax
