// Words out of place: reserved ones used as names, and statements that begin with none we know.
#include "frontend/syntax/mistakes.h"
#include "frontend/syntax/tree_builder.h"
#include "frontend/syntax/words.h"
#include "support/did_you_mean.h"

namespace mtfc::syntax {
namespace {

struct ForeignWord {
  std::string_view word;
  std::string_view advice;
};
constexpr ForeignWord foreign_words[] = {
    {"let", "a definition has no keyword: `name = ...`"},
    {"var", "a definition has no keyword: `name = ...`"},
    {"val", "a definition has no keyword: `name = ...`"},
    {"tensor", "a definition has no keyword: `name[dims] = ...`"},
    {"def", "a function is a block: `block f(x) { ... return y }`"},
    {"fn", "a function is a block: `block f(x) { ... return y }`"},
    {"func", "a function is a block: `block f(x) { ... return y }`"},
    {"function", "a function is a block: `block f(x) { ... return y }`"},
    {"class", "a layer is a block: `block f(x) { ... return y }`"},
    {"for", "a loop is `repeat i in n { ... }`"},
    {"while", "there is only `repeat n { ... }`, with n known beforehand"},
    {"import", "another file is read by `use \"file.mtf\"`"},
    {"include", "another file is read by `use \"file.mtf\"`"},
    {"elif", "write `else if c { ... }`"},
    {"print", "values are looked at with `mtfc run MODEL NAME`"},
    {"params", "settings of parameters: `train { params \"...\" { lr_scale = 0.1 } }`"},
    {"weight", "a weight is a parameter: `param w[a, b] ~ normal(0.02)`"},
    {"minimize", "what is minimised is a loss: `loss e`"},
};

std::vector<std::string> statement_words() {
  std::vector<std::string> words;
  for (std::size_t type = Parser::USE; type <= Parser::TRAIN; ++type) {
    const std::string word = spelled(type);
    if (begins_statement(type)) words.push_back(word.substr(1, word.size() - 2));
  }
  return words;
}

/// Advice about the first word of a statement that is none of ours; empty if there is none.
std::string advice_about(const Scene& scene, Diagnostic& d) {
  const std::string_view word = scene.tokens.text(scene.start);
  for (const ForeignWord& foreign : foreign_words)
    if (foreign.word == word) return std::string(foreign.advice);
  const std::size_t next = scene.type(scene.start + 1);
  const bool like_a_keyword =
      is_name(next) || next == Parser::STRING || next == Parser::LBRACE || next == Parser::NUMBER;
  const auto near =
      like_a_keyword ? did_you_mean(word, statement_words()) : std::vector<std::string>{};
  if (near.empty()) return "";
  if (const std::string* one = sole(near))
    d.fixes.push_back({scene.tokens.span(scene.start), *one});
  return meant(near);
}

Mistake statement_as_name(const Scene& scene) {
  const std::string word(scene.tokens.text(scene.start));
  const Span equals = scene.tokens.span(scene.start + 1);
  Diagnostic d = diag(DiagKind::statement_as_name, "`" + word + "` is a statement, not a name")
                     .at(equals, "no `=` here");
  if (word == "loss")
    d.help("write `loss e`, or `loss name = e`").fix(equals, "");
  else
    d.help("write `train { optimizer = sgd(lr=0.01)  steps = 100 }`").fix(equals, "");
  return {std::move(d), scene.start + 2};
}

Mistake reserved(const Scene& scene, std::size_t at) {
  const std::string word(scene.tokens.text(at));
  Diagnostic d = diag(DiagKind::reserved_word, "`" + word + "` is a reserved word, not a name")
                     .at(scene.tokens.span(at), "reserved")
                     .help("choose another name, for example `" + word + "_`");
  return {std::move(d), at + 1};
}

bool is_operator(std::size_t type) { return type >= Parser::POWER && type <= Parser::GE; }

/// `my-name = ...` as a name of ours; empty if nothing like it is written.
std::string dashed_name(const Scene& scene, std::size_t first) {
  std::string name(scene.tokens.text(first));
  std::size_t at = first;
  while (scene.type(at + 1) == Parser::MINUS && is_name(scene.type(at + 2)) &&
         scene.tokens[at].end == scene.tokens[at + 1].begin &&
         scene.tokens[at + 1].end == scene.tokens[at + 2].begin) {
    at += 2;
    name += "_" + std::string(scene.tokens.text(at));
  }
  return at > first ? name : "";
}

/// The statement begins with a name, and what follows it does not make a definition.
Mistake word_alone(const Scene& scene) {
  const std::size_t first = scene.start;
  const std::string word = quoted(scene.tokens.text(first));
  const std::size_t next = scene.type(first + 1);
  const bool same_line =
      first > 0 && !scene.tokens.begins_line(first) && ends_value(scene.type(first - 1));
  const bool operation = next == Parser::LPAREN || next == Parser::AT || next == Parser::DOT;
  Diagnostic d = diag(DiagKind::syntax_error, "");
  std::string help = advice_about(scene, d);
  if (!help.empty()) {
    d.message = word + " does not begin a statement";
    d.at(scene.tokens.span(first), "not a statement");
  } else if (same_line) {
    d.message = "expected an operator before " + word;
    d.at(scene.tokens.span(first), "a second value")
        .also(scene.tokens.span(first - 1), "directly after this one");
    help = "join them by an operator, or begin a statement: `name = ...`";
  } else if (operation) {
    d.message = "a value alone is not a statement";
    d.at(scene.tokens.span(first), "its result goes nowhere");
    const std::string tail = next == Parser::LPAREN ? "(...)" : " ...";
    help = "give it a name: `y = " + std::string(scene.tokens.text(first)) + tail + "`";
  } else {
    d.message = "expected `=` after " + word + ", found " + found(scene.tokens, first + 1);
    d.at(scene.span(first + 1), "expected `=`");
    if (const std::string dashed = dashed_name(scene, first); !dashed.empty())
      help = "names have no dashes: `" + dashed + "`";
    else if (scene.inside(Parser::RuleBlockStmt) && is_operator(next))
      help = "the value of a block is written `return ...`";
    if (scene.tokens.begins_line(first + 1) || scene.type(first + 1) == antlr4::Token::EOF)
      d.also(scene.tokens.span(first), "this defines nothing");
  }
  if (!help.empty()) d.helps.push_back(std::move(help));
  return {std::move(d), first + 1};
}

Mistake nothing_begins_so(const Scene& scene) {
  const std::size_t at = scene.at();
  Diagnostic d =
      diag(DiagKind::syntax_error, "expected a statement, found " + found(scene.tokens, at))
          .at(scene.span(at), "no statement begins so");
  if (scene.type() == Parser::ELSE)
    d.helps.push_back("an `else` follows the `}` of its `if`");
  else if (scene.type() == Parser::EQUALS)
    d.helps.push_back("a name may be missing before it");
  else if (scene.type() == Parser::OVER || scene.type() == Parser::ARROW)
    d.helps.push_back("`over` and `->` belong inside the parentheses of a call");
  else if (scene.type() == Parser::COMMA)
    d.helps.push_back("definitions are separated by `,` only after `dim` and `const`");
  else if (at > 0 && !scene.tokens.begins_line(at) && ends_value(scene.type(at - 1)))
    d.helps.push_back("an operator may be missing before it");
  else
    d.helps.push_back("a statement begins with a word such as `param`, or with `name =`");
  return {std::move(d), at + 1};
}

}  // namespace

std::optional<Mistake> reserved_word(const Scene& scene) {
  const std::size_t first = scene.start;
  const std::size_t type = scene.type(first);
  if (is_reserved(type) && scene.type(first + 1) == Parser::EQUALS && scene.at() <= first + 1) {
    if (type == Parser::LOSS || type == Parser::TRAIN) return statement_as_name(scene);
    return reserved(scene, first);
  }
  // `f(data, x)`: the word was taken for the name of an argument, which a `=` would follow.
  const bool ends = scene.type() == Parser::COMMA || scene.type() == Parser::RPAREN;
  if (ends && scene.rule() == Parser::RuleArg && is_reserved(scene.type(scene.at() - 1)) &&
      scene.type(scene.at() - 1) != Parser::OVER)
    return reserved(scene, scene.at() - 1);
  if (!is_reserved(scene.type())) return std::nullopt;
  const bool value = scene.rule() == Parser::RulePrimary && !scene.tokens.begins_line(scene.at()) &&
                     scene.type() < Parser::AND;
  const bool name = scene.rule() == Parser::RuleName || scene.rule() == Parser::RuleDimItem;
  const bool next_line = scene.tokens.begins_line(scene.at()) && begins_statement(scene.type());
  if ((value || name) && !next_line) return reserved(scene, scene.at());
  return std::nullopt;
}

std::optional<Mistake> no_statement(const Scene& scene) {
  const bool named = is_name(scene.type(scene.start)) && scene.at() <= scene.start + 2;
  const bool scan = scene.tokens.text(scene.start) == "scan";
  if (named && !scan && scene.rule() == Parser::RuleScanTail) return word_alone(scene);
  if (named && scene.at() == scene.start + 1 &&
      (scene.rule() == Parser::RuleAssignTail || scene.rule() == Parser::RuleNameStmt))
    return word_alone(scene);
  if (scene.at() == scene.start && !scene.inside(Parser::RuleOneExpr))
    return nothing_begins_so(scene);
  return std::nullopt;
}

}  // namespace mtfc::syntax
