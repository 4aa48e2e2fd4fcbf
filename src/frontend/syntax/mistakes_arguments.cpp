// Order in a call: arguments, then `over ...`, then `-> ...`.
#include "frontend/syntax/mistakes.h"
#include "frontend/syntax/tree_builder.h"
#include "frontend/syntax/words.h"

namespace mtfc::syntax {
namespace {

/// `over` or `->` of the innermost call, before the failure.
std::optional<std::size_t> list_before(const Scene& scene) {
  if (scene.open.empty() || scene.type(scene.open.back()) != Parser::LPAREN) return std::nullopt;
  std::size_t depth = 0;
  for (std::size_t i = scene.open.back() + 1; i < scene.at(); ++i) {
    const std::size_t type = scene.type(i);
    if (opens(type)) ++depth;
    if (closes(type)) --depth;
    if (depth == 0 && (type == Parser::OVER || type == Parser::ARROW)) return i;
  }
  return std::nullopt;
}

/// The end of the argument that begins at `first`: before `,` or the call's `)`.
std::optional<std::size_t> argument_end(const Scene& scene, std::size_t first) {
  int depth = 0;
  for (std::size_t i = first; i < scene.tokens.size(); ++i) {
    const std::size_t type = scene.type(i);
    if (depth == 0 && (type == Parser::COMMA || type == Parser::RPAREN)) return i;
    if (type == Parser::LBRACE || type == Parser::RBRACE) return std::nullopt;
    if (opens(type)) ++depth;
    if (closes(type)) --depth;
  }
  return std::nullopt;
}

std::string text_between(const Scene& scene, std::size_t first, std::size_t last) {
  const Span span = join(scene.tokens.span(first), scene.tokens.span(last));
  return std::string(scene.sources.text(span));
}

Mistake lists_reversed(const Scene& scene, std::size_t arrow) {
  Diagnostic d = diag(DiagKind::argument_after_list, "`over` comes before `->`")
                     .at(scene.tokens.span(scene.at()), "this list comes first")
                     .also(scene.tokens.span(arrow), "and this one last")
                     .help("write `f(... over a -> b)`");
  return {std::move(d), scene.at() + 1};
}

/// `f(x, over d)`: the word after the comma is the failure, or was taken for an argument's name.
std::optional<Mistake> comma_before_list(const Scene& scene) {
  for (const std::size_t list : {scene.at(), scene.at() - 1}) {
    const bool word = scene.type(list) == Parser::OVER || scene.type(list) == Parser::ARROW;
    if (list < 1 || !word || scene.type(list - 1) != Parser::COMMA || scene.open.empty() ||
        scene.type(scene.open.back()) != Parser::LPAREN)
      continue;
    const std::string name = quoted(scene.tokens.text(list));
    const Span comma = scene.tokens.span(list - 1);
    Diagnostic d = diag(DiagKind::argument_after_list, "no comma stands before " + name)
                       .at(comma, "remove it")
                       .help(
                           "arguments are separated by commas, lists follow them without one: "
                           "`f(a, b over c -> d)`")
                       .fix(comma, "");
    return Mistake{std::move(d), scene.at() + 1};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Mistake> argument_after_list(const Scene& scene) {
  if (auto comma = comma_before_list(scene)) return comma;
  const std::optional<std::size_t> list = list_before(scene);
  if (!list) return std::nullopt;
  if (scene.type() == Parser::OVER && scene.type(*list) == Parser::ARROW)
    return lists_reversed(scene, *list);
  // `rate` of `rate=0.1` was taken for a dimension; a number cannot be one.
  const bool named = scene.type() == Parser::EQUALS && is_name(scene.type(scene.at() - 1));
  const std::size_t first = named ? scene.at() - 1 : scene.at();
  if (scene.type(first - 1) != Parser::COMMA) return std::nullopt;
  const std::size_t type = scene.type(first);
  const bool value = type == Parser::NUMBER || type == Parser::STRING || type == Parser::LPAREN ||
                     type == Parser::MINUS || type == Parser::TRUE || type == Parser::FALSE;
  if (!named && !value) return std::nullopt;
  const std::optional<std::size_t> end = argument_end(scene, first);
  if (!end) return std::nullopt;

  const Span argument = join(scene.tokens.span(first), scene.tokens.span(*end - 1));
  const std::string text = std::string(scene.sources.text(argument));
  const std::size_t open = scene.open.back();
  const std::string list_text = text_between(scene, *list, first - 2);
  const std::string before =
      *list > open + 1 ? text_between(scene, open + 1, *list - 1) + ", " : "";
  const std::string callee = open > 0 && is_name(scene.type(open - 1))
                                 ? std::string(scene.tokens.text(open - 1))
                                 : std::string();
  Diagnostic d =
      diag(DiagKind::argument_after_list, "an argument after a list of dimensions")
          .at(argument, "this argument")
          .also(scene.tokens.span(*list), "comes after this list")
          .help("arguments come first: `" + callee + "(" + before + text + " " + list_text + ")`");
  const Span gap{argument.file, scene.tokens[first - 2].end, argument.end};
  const std::uint32_t insert =
      *list > open + 1 ? scene.tokens[*list - 1].end : scene.tokens[*list].begin;
  d.fix({argument.file, insert, insert}, *list > open + 1 ? ", " + text : text + " ").fix(gap, "");
  return Mistake{std::move(d), *end};
}

}  // namespace mtfc::syntax
