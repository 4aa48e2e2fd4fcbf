#include "frontend/syntax/mistakes.h"

#include "frontend/syntax/tree_builder.h"
#include "frontend/syntax/words.h"
#include "support/text.h"

namespace mtfc::syntax {

Scene::Scene(const SourceMap& sources, const Tokens& tokens, Failure failed, std::size_t outer)
    : sources(sources),
      tokens(tokens),
      failure(std::move(failed)),
      outer(outer),
      start(failure.statement) {
  for (std::size_t i = outer; i < failure.at; ++i) {
    if (opens(tokens[i].type)) open.push_back(i);
    if (closes(tokens[i].type) && !open.empty()) open.pop_back();
  }
}

std::size_t Scene::rule(std::size_t outwards) const {
  return outwards < failure.rules.size() ? failure.rules[outwards] : std::size_t{Parser::RuleFile};
}

bool Scene::inside(std::size_t rule) const {
  for (const std::size_t r : failure.rules)
    if (r == rule) return true;
  return false;
}

Span Scene::span(std::size_t token) const {
  if (type(token) == antlr4::Token::EOF && token > 0) return behind(token - 1);
  return tokens.span(token);
}

Span Scene::behind(std::size_t token) const {
  const Span span = tokens.span(token);
  return {span.file, span.end, span.end};
}

namespace {

/// What the rule wants at its beginning.
std::string wanted_by_rule(const Scene& scene) {
  switch (scene.rule()) {
    case Parser::RuleName:
      switch (scene.rule(1)) {
        case Parser::RuleDimItem:
        case Parser::RuleGroup:
        case Parser::RuleViewItem:
          return "a dimension";
        case Parser::RuleDtype:
          return "a type";
        default:
          return "a name";
      }
    case Parser::RuleKey:
    case Parser::RuleAnyName:
      return "a name";
    case Parser::RuleDimItem:
    case Parser::RuleDimList:
    case Parser::RuleGroup:
      return "a dimension";
    case Parser::RuleViewItem:
      return is_name(scene.type(scene.at() - 1)) ? "`->` or `=`" : "a dimension";
    case Parser::RuleFormal:
      return "an argument";
    case Parser::RuleSetting:
      return "`=`";
    case Parser::RuleAssignTail:
    case Parser::RuleNameStmt:
      return "`=`";
    case Parser::RuleStatement:
      return "a statement";
    default:
      return "an expression";
  }
}

/// One token is expected; before a closing bracket more could have come.
std::string wanted_token(const Scene& scene, std::size_t expected) {
  const std::string token = spelled(expected);
  const bool list = scene.rule() == Parser::RuleTrailer || scene.rule() == Parser::RuleShape ||
                    scene.rule() == Parser::RuleBlockStmt || scene.rule() == Parser::RuleGroup ||
                    scene.rule() == Parser::RuleViewItem;
  if (list && (expected == Parser::RPAREN || expected == Parser::RBRACKET)) {
    if (scene.open.empty() || scene.open.back() + 1 != scene.at()) return "`,` or " + token;
    return (expected == Parser::RPAREN ? "an argument or " : "a dimension or ") + token;
  }
  if (expected == Parser::RBRACE)
    return (scene.rule() == Parser::RuleSettings ? "a setting or " : "a statement or ") + token;
  if (expected == antlr4::Token::EOF)
    return scene.inside(Parser::RuleOneExpr) ? "the end of the expression" : "a statement";
  if (scene.rule() == Parser::RulePrimary) return "an operator or " + token;
  return token;
}

std::string wanted(const Scene& scene) {
  const auto& expected = scene.failure.expected;
  if (scene.rule() == Parser::RuleScanTail && expected.size() == 1 && expected[0] == Parser::OVER)
    return "`over`";
  if (scene.rule() == Parser::RuleName || expected.empty() || expected.size() > 3)
    return wanted_by_rule(scene);
  if (expected.size() == 1) return wanted_token(scene, expected[0]);
  std::vector<std::string> words;
  for (const std::size_t type : expected) words.push_back(spelled(type));
  return series(words, "or");
}

/// `3 if c else 4`, from the `if`: written our way; the place after it.
struct ChoiceBehind {
  std::string text;
  std::size_t end;
};
std::optional<ChoiceBehind> choice_behind(const Scene& scene) {
  const Tokens& tokens = scene.tokens;
  const std::size_t keyword = scene.start;
  if (scene.type() != Parser::ELSE || tokens.type(keyword) != Parser::IF || keyword == 0 ||
      tokens.begins_line(keyword) || !ends_value(tokens.type(keyword - 1)))
    return std::nullopt;
  std::size_t first = keyword, end = scene.at() + 1;
  while (first > 0 && !tokens.begins_line(first) && tokens.type(first - 1) != Parser::EQUALS)
    --first;
  while (tokens.type(end) != antlr4::Token::EOF && !tokens.begins_line(end)) ++end;
  if (end == scene.at() + 1) return std::nullopt;
  const auto text = [&](std::size_t from, std::size_t to) {
    return std::string(scene.sources.text(join(tokens.span(from), tokens.span(to - 1))));
  };
  return ChoiceBehind{"if " + text(keyword + 1, scene.at()) + " then " + text(first, keyword) +
                          " else " + text(scene.at() + 1, end),
                      end};
}

/// What people write who know another language, or have forgotten a part.
std::string advice(const Scene& scene) {
  const std::size_t type = scene.type();
  const std::size_t rule = scene.rule();
  const std::size_t around = scene.rule(1);
  if (type == Parser::IF && scene.at() > scene.start && !scene.tokens.begins_line(scene.at()) &&
      ends_value(scene.type(scene.at() - 1)))
    return "as a value it is `if c then a else b`";
  if (rule == Parser::RulePrimary && type == Parser::LBRACKET)
    return "there are no list values; dimensions are listed without brackets after `over` and `->`";
  if (rule == Parser::RulePrimary && type == Parser::COMMA)
    return "parentheses hold one value; several have a name each, as in `adam(beta1=0.9, "
           "beta2=0.999)`";
  if (rule == Parser::RulePrefix && type == Parser::LBRACE)
    return "as a value it is `if c then a else b`";
  if (rule == Parser::RuleBody && scene.failure.expects(Parser::LBRACE)) {
    if (const auto choice = choice_behind(scene)) return "as a value it is `" + choice->text + "`";
    if (type == Parser::THEN) return "as a statement it is `if c { ... } else { ... }`";
    if (around == Parser::RuleBlockStmt && (type == Parser::ARROW || type == Parser::OVER))
      return "the lists belong inside the parentheses: `block f(x over a -> b) { ... }`";
    return "a body is written in braces: `{ ... }`";
  }
  const std::size_t last = scene.at() > 0 ? scene.type(scene.at() - 1) : type;
  if (scene.inside(Parser::RuleViewItem) &&
      (last == Parser::COLON || (last == Parser::EQUALS && type == Parser::COLON)))
    return "a range has both ends and makes a dimension: `x[d = 1:d -> e]`, with `dim e = d - 1`";
  if (rule == Parser::RuleViewItem && is_name(scene.type(scene.at() - 1)))
    return "a renaming is `x[a -> b]`, an index is `x[a = i]`";
  if (rule == Parser::RuleSetting) return "a setting is `key = value`";
  if (rule == Parser::RuleSettings) return "a setting is `key = value`; they need no separator";
  if (rule == Parser::RuleShape && scene.inside(Parser::RuleAssignTail) &&
      (type == Parser::ARROW || type == Parser::EQUALS))
    return "on the left, `x[...]` lists the dimensions of what is defined; it is a view only on "
           "the right";
  const bool no_shape = rule == Parser::RuleShape && scene.failure.expects(Parser::LBRACKET);
  if (no_shape && around == Parser::RuleParamStmt)
    return "a parameter lists its dimensions: `param w[a, b] ~ ...`, `param s[] = ...` for one "
           "number";
  if (no_shape && around == Parser::RuleInputStmt)
    return "an input lists its dimensions: `input x[batch, d] from ...`";
  if (rule == Parser::RuleInputStmt)
    return "an input says where its values come from: `input x[batch, d] from source`";
  if (rule == Parser::RuleMetricStmt && scene.failure.expects(Parser::EQUALS))
    return "a metric has a name: `metric name = ...`";
  if (rule == Parser::RuleSized) {
    const std::string name(scene.tokens.text(scene.at() - 1));
    const std::size_t more = scene.at() + (type == Parser::MINUS ? 1 : 0);
    if (is_name(scene.type(more)))
      return "a name is one word of letters, digits and `_`: `" + name + "_" +
             std::string(scene.tokens.text(more)) + " = 64`";
    return "a size follows `=`: `" + name + " = 64`";
  }
  if (rule == Parser::RuleViewItem || (rule == Parser::RuleName && around == Parser::RuleViewItem))
    return "an index names its dimension: `x[d = 0]`, a range `x[d = 0:10 -> e]`";
  const bool list = rule == Parser::RuleDimList || rule == Parser::RuleDimItem ||
                    (rule == Parser::RuleName && around == Parser::RuleDimItem);
  if (type == Parser::NUMBER && list)
    return "a dimension has a name: declare it, `dim e = " +
           std::string(scene.tokens.text(scene.at())) + "`, and write the name here";
  if (type == Parser::NUMBER && rule == Parser::RuleName && around != Parser::RuleDtype)
    return "a name begins with a letter or `_`";
  if (type == Parser::NUMBER && around == Parser::RuleDtype)
    return "a type follows `:`; the size of a dimension is written `dim name = 64`";
  const bool after_at = scene.at() > 1 && scene.type(scene.at() - 2) == Parser::AT;
  if (rule == Parser::RuleTrailer && scene.failure.expects(Parser::LPAREN) && after_at &&
      is_name(last))
    return "`@` names an instance of a block, as in `dense@fc1(...)`; a matrix product is "
           "`einsum(a, b over d)`";
  if (rule == Parser::RuleParamStmt && scene.failure.expects(Parser::TILDE))
    return "an initial value follows: `~ normal(0.02)`, or `= 0`";
  if (rule == Parser::RuleUseStmt) return "write `use \"file.mtf\"`";
  return "";
}

/// `x = a // the sum`: what follows `//` was meant as a comment.
bool follows_slashes(const Scene& scene) {
  // The words may be the beginning of a statement that failed only on the next line.
  const std::size_t last = scene.tokens.begins_line(scene.start) ? scene.at() : scene.start;
  for (std::size_t i = last; i-- > 0 && last - i < 100;) {
    if (scene.tokens.begins_line(i + 1)) return false;
    if (scene.tokens[i].type == Parser::FLOORDIV) return true;
  }
  return false;
}

/// Behind `{ a } else { b }` after an `if` that was to be a value.
std::size_t behind_braces(const Tokens& tokens, std::size_t at) {
  int depth = 0;
  for (; tokens.type(at) != antlr4::Token::EOF; ++at) {
    if (tokens[at].type == Parser::LBRACE) ++depth;
    if (tokens[at].type != Parser::RBRACE || --depth > 0) continue;
    if (tokens.type(at + 1) != Parser::ELSE) return at + 1;
  }
  return at;
}

}  // namespace

Mistake unexpected(const Scene& scene) {
  const Tokens& tokens = scene.tokens;
  const std::string want = wanted(scene);
  // What is missing is missed where the line ends, not where the next statement begins.
  const bool statement = looks_like_statement(tokens, scene.at());
  const bool behind = scene.at() > scene.start && tokens.begins_line(scene.at()) &&
                      (statement || scene.type() == Parser::RBRACE);
  Diagnostic d = diag(DiagKind::syntax_error, "expected " + want + ", found ");
  if (behind) {
    d.message = "expected " + want + " after " + quoted(tokens.text(scene.at() - 1));
    d.at(scene.behind(scene.at() - 1), "expected " + want);
    if (statement) d.also(tokens.span(scene.at()), "a new statement starts here");
  } else {
    d.message += found(tokens, scene.at());
    d.at(scene.span(scene.at()), "expected " + want);
  }
  if (const std::string help = advice(scene); !help.empty()) d.help(help);
  if (d.message.find("`,` or") != std::string::npos && !scene.open.empty())
    d.also(scene.tokens.span(scene.open.back()), "opened here");
  const bool value_in_braces = scene.rule() == Parser::RulePrefix && scene.type() == Parser::LBRACE;
  if (value_in_braces) return {std::move(d), behind_braces(scene.tokens, scene.at())};
  const auto choice = choice_behind(scene);
  return {std::move(d), choice ? choice->end : scene.at()};
}

Mistake explain(const Scene& scene) {
  using Explainer = std::optional<Mistake> (*)(const Scene&);
  static constexpr Explainer specific[] = {
      unknown_symbol, malformed_number, foreign_operator, argument_after_list, unclosed_bracket,
      reserved_word,  wrong_equals,     stray_bracket,    no_statement,
  };
  std::optional<Mistake> mistake;
  for (const Explainer explainer : specific)
    if ((mistake = explainer(scene))) break;
  if (!mistake) mistake = unexpected(scene);
  if (mistake->diagnostic.kind == DiagKind::syntax_error && follows_slashes(scene))
    mistake->diagnostic.helps.push_back("`//` divides and rounds down; a comment begins with `#`");
  return std::move(*mistake);
}

}  // namespace mtfc::syntax
