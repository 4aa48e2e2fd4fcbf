#include "frontend/syntax/tree_builder.h"

namespace mtfc::syntax {

using antlr4::Token;

ast::File Builder::build(Parser::FileContext* context) {
  out_.body = statements(context->children);
  return std::move(out_);
}

ast::File Builder::build(Parser::OneExprContext* context) {
  const Span all = span(context->expr());
  ast::Assign assign;
  assign.targets.push_back({{"value", {}}, std::nullopt, std::nullopt});
  assign.value = expr(context->expr());
  out_.body.push_back(add(ast::Statement{std::move(assign), all, all}));
  return std::move(out_);
}

Span Builder::span(const Token* token) const {
  const auto begin = static_cast<std::uint32_t>(token->getStartIndex());
  const auto last = static_cast<std::uint32_t>(token->getStopIndex());
  return {out_.file, begin, last + 1};
}

Span Builder::span(const Rule* rule) const { return join(span(rule->start), span(rule->stop)); }

Span Builder::span(Tree* node) const {
  if (auto* rule = dynamic_cast<Rule*>(node)) return span(rule);
  return span(dynamic_cast<antlr4::tree::TerminalNode*>(node)->getSymbol());
}

ast::Name Builder::name(Rule* one_word) const {
  const Span where = span(one_word->start);
  return {std::string(sources_.text(where)), where};
}

ast::DimItem Builder::dim_item(Parser::DimItemContext* context) {
  ast::DimItem item;
  item.span = span(context);
  if (context->DOTS()) {
    item.kind = ast::DimItem::Kind::ellipsis;
    return item;
  }
  const auto names = context->name();
  item.name = name(names[0]);
  if (!context->LPAREN()) return item;
  if (item.name.text != "dims")
    complain(item.name.span, "expected a dimension, found a call of `" + item.name.text + "`",
             "only `dims(x)`, the dimensions of x, is allowed in a list of dimensions");
  item.kind = ast::DimItem::Kind::dims_of;
  item.name = name(names[1]);
  for (std::size_t i = 2; i < names.size(); ++i) item.minus.push_back(name(names[i]));
  return item;
}

ast::DimList Builder::dim_list(Parser::DimListContext* context) {
  ast::DimList list;
  list.span = span(context);
  for (Parser::DimItemContext* item : context->dimItem()) list.items.push_back(dim_item(item));
  return list;
}

ast::DimList Builder::shape(Parser::ShapeContext* context) {
  ast::DimList list;
  if (context->dimList()) list = dim_list(context->dimList());
  list.span = span(context);
  return list;
}

std::optional<ast::DimList> Builder::optional_shape(Parser::ShapeContext* context) {
  if (!context) return std::nullopt;
  return shape(context);
}

std::optional<ast::Name> Builder::dtype(Parser::DtypeContext* context) const {
  if (!context) return std::nullopt;
  return name(context->name());
}

ast::String Builder::string(const Token* token) {
  const Span where = span(token);
  const std::string_view quoted = sources_.text(where);
  std::string value;
  for (std::size_t i = 1; i + 1 < quoted.size(); ++i) {
    if (quoted[i] != '\\') {
      value += quoted[i];
      continue;
    }
    const char escape = quoted[++i];
    const auto at = static_cast<std::uint32_t>(where.begin + i - 1);
    if (escape == 'n')
      value += '\n';
    else if (escape == 't')
      value += '\t';
    else if (escape == '"' || escape == '\\')
      value += escape;
    else
      diagnostics_.report(diag(DiagKind::malformed_string, "unknown escape in a string")
                              .at({out_.file, at, at + 2}, "not an escape")
                              .help("the escapes are `\\\"`, `\\\\`, `\\n` and `\\t`; a backslash "
                                    "itself is written `\\\\`"));
  }
  return {std::move(value)};
}

void Builder::complain(Span at, std::string message, std::string help) {
  Diagnostic d = diag(DiagKind::syntax_error, std::move(message)).at(at);
  if (!help.empty()) d.helps.push_back(std::move(help));
  diagnostics_.report(std::move(d));
}

bool Builder::too_deep(Span at, std::size_t further) {
  if (depth_ + static_cast<std::int64_t>(further) <= max_nesting) return false;
  if (!too_deep_)
    diagnostics_.report(diag(DiagKind::nesting_too_deep, "more than 256 levels of nesting")
                            .at(at, "level 257")
                            .help("give parts of it names of their own"));
  too_deep_ = true;
  return true;
}

}  // namespace mtfc::syntax
