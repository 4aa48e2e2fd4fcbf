// What stands between operators: names, numbers, calls, fields, views.
#include <charconv>
#include <limits>

#include "frontend/syntax/tree_builder.h"

namespace mtfc::syntax {

using antlr4::Token;

namespace {

std::size_t rule_index(Tree* node) { return static_cast<Rule*>(node)->getRuleIndex(); }

template <class Context>
std::vector<Context*> all_of(const std::vector<Tree*>& children) {
  std::vector<Context*> found;
  for (Tree* child : children)
    if (auto* context = dynamic_cast<Context*>(child)) found.push_back(context);
  return found;
}

}  // namespace

Builder::Operand Builder::operand(Parser::OperandContext* context) {
  std::size_t at = 0;
  while (rule_index(context->children[at]) == Parser::RulePrefix) ++at;
  auto* first = static_cast<Parser::PrimaryContext*>(context->children[at]);
  std::vector<Parser::TrailerContext*> trailers;
  for (++at; at < context->children.size(); ++at)
    trailers.push_back(static_cast<Parser::TrailerContext*>(context->children[at]));
  if (too_deep(span(first), trailers.size()))
    return {add({ast::Number{}, span(first)}), span(first)};

  const auto is_call = [](Parser::TrailerContext* t) { return t->LPAREN() != nullptr; };
  std::size_t done = 0;
  Operand result;
  depth_ += static_cast<int>(trailers.size());  // what is built first lies deepest in the tree
  Parser::NameContext* word = first->name();
  if (word && !trailers.empty() && is_call(trailers[0])) {
    result = call(std::nullopt, name(word), span(word), trailers[0]);
    done = 1;
  } else if (word && trailers.size() > 1 && trailers[0]->DOT() && is_call(trailers[1])) {
    result = call(name(word), name(trailers[0]->anyName()), span(word), trailers[1]);
    done = 2;
  } else {
    result = primary(first);
  }
  depth_ -= static_cast<int>(trailers.size());
  for (; done < trailers.size(); ++done) {
    Parser::TrailerContext* trailer = trailers[done];
    if (is_call(trailer)) {
      const bool method = done > 0 && trailers[done - 1]->DOT() != nullptr;
      const bool called = done > 0 && is_call(trailers[done - 1]);
      complain(span(trailer->LPAREN()), "only a name can be called",
               method ? "there are no methods: write `" + name(trailers[done - 1]->anyName()).text +
                            "(...)`"
               : called ? "a layer takes its input and its dimensions in one call, such as "
                          "`dense(x over in -> out)`"
                        : "if an operator is missing before `(`, add it");
    } else if (trailer->DOT()) {
      result = field(result, name(trailer->anyName()));
    } else {
      result = view(result, trailer);
    }
  }
  return result;
}

Builder::Operand Builder::primary(Parser::PrimaryContext* context) {
  const Span all = span(context);
  const Token* token = context->start;
  switch (token->getType()) {
    case Parser::LPAREN: {
      ++depth_;
      const ast::ExprId inside = expr(context->expr());
      --depth_;
      out_.exprs[inside.at()].parenthesised = true;
      return {inside, all};
    }
    case Parser::NUMBER:
      return {add({number(token), all}), all};
    case Parser::STRING:
      return {add({string(token), all}), all};
    case Parser::TRUE:
      return {add({ast::Boolean{true}, all}), all};
    case Parser::FALSE:
      return {add({ast::Boolean{false}, all}), all};
    default:
      return {add({ast::NameRef{name(context)}, all}), all};
  }
}

ast::Number Builder::number(const Token* token) const {
  ast::Number number;
  number.text = std::string(sources_.text(span(token)));
  const char* begin = number.text.data();
  const char* end = begin + number.text.size();
  if (std::from_chars(begin, end, number.value).ec == std::errc::result_out_of_range) {
    // Too small is as good as 0; which of the two it was, only the exponent tells.
    const bool tiny =
        number.text.find("e-") != std::string::npos || number.text.find("E-") != std::string::npos;
    number.value = tiny ? 0 : std::numeric_limits<double>::infinity();
    number.fits = tiny;
  }
  number.whole = number.text.find_first_of(".eE") == std::string::npos;
  if (number.whole) number.fits = std::from_chars(begin, end, number.integer).ec == std::errc();
  return number;
}

Builder::Operand Builder::call(std::optional<ast::Name> module, ast::Name callee, Span from,
                               Parser::TrailerContext* context) {
  ast::Call call;
  call.module = std::move(module);
  call.callee = std::move(callee);
  if (context->AT()) call.instance = name(context->anyName());
  ++depth_;
  arguments(call, context->args());
  --depth_;
  const Span all = join(from, span(context));
  return {add({std::move(call), all}), all};
}

void Builder::arguments(ast::Call& call, Parser::ArgsContext* context) {
  for (Tree* child : context->children) {
    auto* rule = dynamic_cast<Rule*>(child);
    if (!rule) continue;
    if (auto* arg = dynamic_cast<Parser::ArgContext*>(rule)) call.args.push_back(argument(arg));
    if (auto* over = dynamic_cast<Parser::OverContext*>(rule))
      call.over = dim_list(over->dimList());
    if (auto* to = dynamic_cast<Parser::ToContext*>(rule)) call.to = dim_list(to->dimList());
  }
}

ast::Argument Builder::argument(Parser::ArgContext* context) {
  const auto parts = context->expr();
  if (!context->EQUALS()) return {std::nullopt, expr(parts[0])};
  if (context->reserved()) return {name(context->reserved()), expr(parts[0])};
  const std::optional<ast::Name> word = bare_name(parts[0]);
  if (!word) {
    const Span equals = span(context->EQUALS());
    diagnostics_.report(
        diag(DiagKind::equals_for_comparison, "the text before `=` is not the name of an argument")
            .at(equals, "`==` compares")
            .also(span(parts[0]), "a named argument begins with one word")
            .help("to compare, write `==`")
            .fix(equals, "=="));
  }
  return {word, expr(parts[1])};
}

std::optional<ast::Name> Builder::bare_name(Parser::ExprContext* context) const {
  if (context->start != context->stop) return std::nullopt;
  switch (context->start->getType()) {
    case Parser::NAME:
    case Parser::IN:
    case Parser::TRUE:
    case Parser::FALSE:
      return name(context);
    default:
      return std::nullopt;
  }
}

Builder::Operand Builder::field(Operand base, ast::Name name) {
  const Span all = join(base.outer, name.span);
  return {add({ast::Field{base.id, std::move(name)}, all}), all};
}

Builder::Operand Builder::view(Operand base, Parser::TrailerContext* context) {
  ast::View view{base.id, {}, span(context)};
  ++depth_;
  for (auto* item : all_of<Parser::ViewItemContext>(context->children))
    view.items.push_back(view_item(item));
  --depth_;
  const Span all = join(base.outer, view.brackets);
  return {add({std::move(view), all}), all};
}

ast::ViewItem Builder::view_item(Parser::ViewItemContext* context) {
  const Span all = span(context);
  const auto names = context->name();
  if (context->ARROW() && context->group()) {
    ast::RenameItem rename;
    for (Parser::NameContext* from : names) rename.from.push_back(name(from));
    for (Parser::NameContext* to : context->group()->name()) rename.to.push_back(name(to));
    return {std::move(rename), all};
  }
  const auto parts = context->expr();
  if (context->COLON())
    return {ast::SliceItem{name(names[0]), expr(parts[0]), expr(parts[1]), name(names[1])}, all};
  ast::IndexItem index{name(names[0]), expr(parts[0]), std::nullopt};
  if (parts.size() > 1) index.otherwise = expr(parts[1]);
  return {std::move(index), all};
}

}  // namespace mtfc::syntax
