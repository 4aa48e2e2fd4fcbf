// Brackets that are not closed, closed by another kind, or close nothing.
#include <algorithm>

#include "frontend/syntax/mistakes.h"
#include "frontend/syntax/tree_builder.h"
#include "frontend/syntax/words.h"

namespace mtfc::syntax {
namespace {

/// The closing bracket of `open` by counting alone, unless a block or a new statement intervenes.
std::optional<std::size_t> closed_at(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    const std::size_t type = tokens[i].type;
    if (type == Parser::LBRACE || type == Parser::RBRACE) return std::nullopt;
    if (begins_statement(type) && looks_like_statement(tokens, i)) return std::nullopt;
    if (opens(type)) ++depth;
    if (closes(type) && --depth == 0) return i;
  }
  return std::nullopt;
}

/// The token at which the failure shows that the open bracket should have been closed before.
std::optional<std::size_t> next_statement(const Scene& scene) {
  const Tokens& tokens = scene.tokens;
  const std::size_t at = scene.at();
  const std::size_t type = scene.type();
  for (std::size_t i = scene.open.back() + 1; i <= at; ++i)
    if (looks_like_statement(tokens, i)) return i;
  if (type == antlr4::Token::EOF || type == Parser::LBRACE || type == Parser::RBRACE) return at;
  if (begins_statement(type) && type != Parser::IF && type != Parser::DIM) return at;
  if (at < scene.outer + 2 || !tokens.begins_line(at - 1)) return std::nullopt;
  // `f(a +` and on the next line `z = 3`, or `param w[...]`: one token late.
  if (begins_statement(scene.type(at - 1))) return at - 1;
  const std::size_t before = scene.type(at - 2);
  const bool asks_for_more =
      before == Parser::COMMA || before == Parser::LPAREN || before == Parser::LBRACKET;
  const bool defines = type == Parser::EQUALS || type == Parser::TILDE;
  if (defines && is_name(scene.type(at - 1)) && !asks_for_more) return at - 1;
  return std::nullopt;
}

/// "call to `f`", "`(`", "the list of dimensions of `x`".
std::string called(const Scene& scene, std::size_t open) {
  const std::size_t type = scene.type(open);
  if (open > scene.outer && is_name(scene.type(open - 1))) {
    std::size_t name = open - 1;
    if (type == Parser::LPAREN) {
      if (name > 1 && scene.type(name - 1) == Parser::AT) name -= 2;
      const bool block = name > 0 && scene.type(name - 1) == Parser::BLOCK;
      return (block ? "argument list of " : "call to ") + quoted(scene.tokens.text(name));
    }
    if (type == Parser::LBRACKET) return "`[` after " + quoted(scene.tokens.text(name));
  }
  return spelled(type);
}

std::string line_number(const Scene& scene, std::size_t token) {
  const Span span = scene.tokens.span(token);
  return std::to_string(scene.sources.position(span.file, span.end).line);
}

Mistake never_closed(const Scene& scene, std::size_t open, std::size_t next) {
  const std::string closer = spelled(closer_of(scene.type(open)));
  const std::string missing = closer.substr(1, closer.size() - 2);
  const bool brace = scene.type(next) == Parser::LBRACE && !scene.tokens.begins_line(next);
  const bool end = scene.type(next) == antlr4::Token::EOF;
  Diagnostic d = diag(DiagKind::unclosed, called(scene, open) + " is never closed")
                     .at(scene.tokens.span(open), "opened here");
  if (!end && (brace || closes(scene.type(next))))
    d.also(scene.tokens.span(next), "expected " + closer + " before this");
  else if (!end)
    d.also({scene.tokens.file(), scene.tokens[next].begin, scene.tokens[next].begin + 1},
           "a new statement starts here");
  const std::string where =
      brace ? " before `{`" : " at the end of line " + line_number(scene, next - 1);
  d.help("add " + closer + where).fix(scene.behind(next - 1), missing);
  return {std::move(d), next};
}

/// `f(x` NEWLINE `rate = 1)`: the parenthesis is closed, so it is the comma that is missing.
Mistake comma_missing(const Scene& scene, std::size_t open, std::size_t next) {
  const std::string closer = spelled(closer_of(scene.type(open)));
  Diagnostic d = diag(DiagKind::syntax_error,
                      "expected `,` or " + closer + " before " + quoted(scene.tokens.text(next)))
                     .at(scene.behind(next - 1), "expected `,` or " + closer)
                     .also(scene.tokens.span(open), "inside this " + spelled(scene.type(open)))
                     .fix(scene.behind(next - 1), ",");
  return {std::move(d), scene.at() + 1};
}

std::size_t indentation(const Scene& scene, std::size_t token) {
  const Span span = scene.tokens.span(token);
  const int line = scene.sources.position(span.file, span.begin).line;
  const std::size_t first = scene.sources.line(span.file, line).find_first_not_of(" \t");
  return first == std::string_view::npos ? 0 : first;
}

struct OpenBlock {
  std::size_t open;
  std::optional<std::size_t> next;  // the first token that by its indentation lies behind the block
};

/// Which of the open braces lacks its partner, as far as the indentation tells.
OpenBlock guilty_block(const Scene& scene) {
  std::vector<std::size_t> open;
  for (std::size_t i = scene.outer; i < scene.at(); ++i) {
    const std::size_t type = scene.type(i);
    if (!open.empty() && scene.tokens.begins_line(i)) {
      const std::size_t inner = indentation(scene, open.back());
      const std::size_t here = indentation(scene, i);
      if (type == Parser::RBRACE ? here < inner : here <= inner) return {open.back(), i};
    }
    if (type == Parser::LBRACE) open.push_back(i);
    if (type == Parser::RBRACE && !open.empty()) open.pop_back();
  }
  return {scene.open.back(), std::nullopt};
}

Mistake block_never_closed(const Scene& scene) {
  const OpenBlock block = guilty_block(scene);
  Diagnostic d = diag(DiagKind::unclosed, "`{` is never closed")
                     .at(scene.tokens.span(block.open), "opened here");
  if (block.next) {
    const std::string line = std::to_string(
        scene.sources.position(scene.tokens.file(), scene.tokens[*block.next].begin).line);
    d.also(scene.tokens.span(*block.next), "by its indentation, behind the block")
        .help("add `}` before line " + line);
  } else {
    d.help("add `}` at the end");
  }
  return {std::move(d), scene.at()};
}

Mistake settings_never_closed(const Scene& scene, std::size_t next) {
  Diagnostic d =
      diag(DiagKind::unclosed, "`{` is never closed")
          .at(scene.tokens.span(scene.open.back()), "opened here")
          .also(scene.tokens.span(next), "a new statement starts here")
          .help("add `}` before line " +
                std::to_string(
                    scene.sources.position(scene.tokens.file(), scene.tokens[next].begin).line));
  return {std::move(d), next};
}

Mistake closed_by_another(const Scene& scene) {
  const std::size_t open = scene.open.back();
  const std::string closer = spelled(closer_of(scene.type(open)));
  Diagnostic d = diag(DiagKind::unclosed, called(scene, open) + " is closed by " +
                                              quoted(scene.tokens.text(scene.at())))
                     .at(scene.tokens.span(scene.at()), "expected " + closer)
                     .also(scene.tokens.span(open), "opened here")
                     .fix(scene.tokens.span(scene.at()), closer.substr(1, closer.size() - 2));
  return {std::move(d), scene.at() + 1};
}

std::optional<Mistake> in_braces(const Scene& scene) {
  if (scene.type() == antlr4::Token::EOF) return block_never_closed(scene);
  const bool keyword = scene.at() > scene.open.back() + 1 &&
                       scene.tokens.begins_line(scene.at() - 1) &&
                       begins_statement(scene.type(scene.at() - 1));
  if (scene.rule() == Parser::RuleSetting && keyword)
    return settings_never_closed(scene, scene.at() - 1);
  return std::nullopt;
}

}  // namespace

std::optional<Mistake> unclosed_bracket(const Scene& scene) {
  if (scene.open.empty()) return std::nullopt;
  if (scene.type(scene.open.back()) == Parser::LBRACE) return in_braces(scene);
  const bool round_or_square = scene.type() == Parser::RPAREN || scene.type() == Parser::RBRACKET;
  if (round_or_square && closer_of(scene.type(scene.open.back())) != scene.type() &&
      ends_value(scene.type(scene.at() - 1)))
    return closed_by_another(scene);
  const std::optional<std::size_t> next = next_statement(scene);
  if (!next) return std::nullopt;
  for (std::size_t i = scene.open.size(); i-- > 0;) {
    if (scene.type(scene.open[i]) == Parser::LBRACE) break;
    if (!closed_at(scene.tokens, scene.open[i])) return never_closed(scene, scene.open[i], *next);
  }
  if (is_name(scene.type(*next))) return comma_missing(scene, scene.open.back(), *next);
  return std::nullopt;
}

std::optional<Mistake> stray_bracket(const Scene& scene) {
  if (!closes(scene.type()) || scene.at() != scene.start) return std::nullopt;
  Diagnostic d =
      diag(DiagKind::syntax_error, quoted(scene.tokens.text(scene.at())) + " closes nothing")
          .at(scene.tokens.span(scene.at()), "no bracket is open here")
          .fix(scene.tokens.span(scene.at()), "");
  return Mistake{std::move(d), scene.at() + 1};
}

}  // namespace mtfc::syntax
