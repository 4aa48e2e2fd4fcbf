// Statements that have a body or need a word checked; the plain ones are in build_plain.cpp.
#include <algorithm>

#include "frontend/syntax/tree_builder.h"

namespace mtfc::syntax {

ast::StatementId Builder::add(ast::Statement statement) {
  const auto id = next_id<ast::StatementId>(out_.statements);
  out_.statements.push_back(std::move(statement));
  return id;
}

ast::Body Builder::body(Parser::BodyContext* context) {
  ++depth_;
  ast::Body found = statements(context->children);
  --depth_;
  return found;
}

ast::Body Builder::statements(const std::vector<Tree*>& children) {
  ast::Body found;
  dim_before_.reset();
  for (Tree* child : children) {
    auto* outer = dynamic_cast<Parser::StatementContext*>(child);
    if (!outer) continue;
    auto* rule = static_cast<Rule*>(outer->children[0]);
    check_comma_after_dim(rule);
    found.push_back(statement(rule));
    remember(rule);
  }
  return found;
}

void Builder::look_at(Parser::StatementContext* context) {
  auto* rule = static_cast<Rule*>(context->children[0]);
  check_comma_after_dim(rule);
  statement(rule);
  remember(rule);
}

void Builder::remember(Rule* statement) {
  const std::size_t kind = statement->getRuleIndex();
  dim_before_.reset();
  if (kind != Parser::RuleDimStmt && kind != Parser::RuleConstStmt) return;
  dim_before_ = span(statement->start);
  dim_end_ = span(statement->stop).end;
}

ast::StatementId Builder::statement(Rule* context) {
  switch (context->getRuleIndex()) {
    case Parser::RuleBlockStmt:
      return block(static_cast<Parser::BlockStmtContext*>(context));
    case Parser::RuleIfStmt:
      return if_statement(static_cast<Parser::IfStmtContext*>(context));
    case Parser::RuleLossStmt:
      return loss(static_cast<Parser::LossStmtContext*>(context));
    case Parser::RuleNameStmt:
      return name_statement(static_cast<Parser::NameStmtContext*>(context));
    case Parser::RuleRepeatStmt:
      return repeat(static_cast<Parser::RepeatStmtContext*>(context));
    default:
      return plain_statement(context);
  }
}

// `dim batch = 64 io = 784` would otherwise define a tensor `io`.
void Builder::check_comma_after_dim(Rule* after) {
  auto* names = dynamic_cast<Parser::NameStmtContext*>(after);
  if (!dim_before_ || !names || !names->assignTail() || names->assignTail()->shape()) return;
  const Span word = span(names->start);
  if (word.begin < dim_end_) return;
  const std::string_view gap = sources_.text(Span{out_.file, dim_end_, word.begin});
  if (gap.find('\n') != std::string_view::npos) return;
  const std::string keyword(sources_.text(*dim_before_));
  diagnostics_.report(
      diag(DiagKind::missing_comma, "missing `,` before `" + std::string(sources_.text(word)) + "`")
          .at(word, "this defines a tensor, not a `" + keyword + "`")
          .also(*dim_before_, "on the line of this `" + keyword + "`")
          .help("separate the definitions by `,`; define a tensor on a line of its own")
          .fix({out_.file, dim_end_, dim_end_}, ","));
}

ast::StatementId Builder::if_statement(Parser::IfStmtContext* context) {
  struct Branch {
    Span from;
    Parser::ExprContext* condition;
    Parser::BodyContext* body;
  };
  std::vector<Branch> branches{{span(context->start), context->expr(), context->body()}};
  for (Parser::ElseTailContext* tail : context->elseTail()) {
    if (!branches.back().condition)
      complain(span(tail->start), "an `else` after the last `else`",
               "only the last branch of an `if` has no condition");
    const Span from = tail->IF() ? span(tail->IF()) : span(tail->start);
    branches.push_back({from, tail->expr(), tail->body()});
  }
  const Span end = span(context->stop);
  if (too_deep(span(context->start), branches.size()))
    return add(ast::Statement{ast::Return{}, end, end});

  // From the last branch to the first: each is the else of the one before.
  std::optional<ast::Body> rest;
  ast::StatementId made;
  for (std::size_t i = branches.size(); i-- > 0;) {
    const Branch& branch = branches[i];
    depth_ += static_cast<int>(i);
    ast::Body inside = body(branch.body);
    if (branch.condition) {
      ast::If node{expr(branch.condition), std::move(inside), std::move(rest)};
      made = add(ast::Statement{std::move(node), join(branch.from, end), branch.from});
      rest = ast::Body{made};
    } else {
      rest = std::move(inside);
    }
    depth_ -= static_cast<int>(i);
  }
  return made;
}

ast::StatementId Builder::block(Parser::BlockStmtContext* context) {
  ast::BlockDecl block;
  block.name = name(context->name());
  Parser::FormalsContext* formals = context->formals();
  for (Parser::FormalContext* one : formals->formal()) block.formals.push_back(formal(one));
  if (formals->over()) block.over = dim_list(formals->over()->dimList());
  if (formals->to()) block.to = dim_list(formals->to()->dimList());
  block.body = body(context->body());
  block.doc = comment_above(span(context->start));
  return add(ast::Statement{std::move(block), span(context), span(context->start)});
}

ast::Formal Builder::formal(Parser::FormalContext* context) {
  ast::Formal formal;
  formal.is_dim = context->DIM() != nullptr;
  formal.name = name(context->name());
  formal.pattern = optional_shape(context->shape());
  formal.dtype = dtype(context->dtype());
  if (context->expr()) formal.default_value = expr(context->expr());
  return formal;
}

/// The comment lines that end on the line before the statement, without their `#`.
std::string Builder::comment_above(Span statement) const {
  const auto trimmed = [](std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view{} : line.substr(first);
  };
  const int own_line = sources_.position(out_.file, statement.begin).line;
  int first = own_line;
  while (first > 1 && trimmed(sources_.line(out_.file, first - 1)).starts_with('#')) --first;
  std::string text;
  for (int line = first; line < own_line; ++line) {
    std::string_view comment = trimmed(sources_.line(out_.file, line));
    comment.remove_prefix(std::min<std::size_t>(comment.starts_with("# ") ? 2 : 1, comment.size()));
    if (!text.empty()) text += '\n';
    text += comment;
  }
  return text;
}

ast::StatementId Builder::name_statement(Parser::NameStmtContext* context) {
  const Span all = span(context);
  const Span first = span(context->start);
  if (Parser::ScanTailContext* tail = context->scanTail()) {
    if (sources_.text(first) != "scan")
      complain(first, "`" + std::string(sources_.text(first)) + "` does not begin a statement",
               "the statement with this form is `scan NAME over DIM { ... }`");
    ast::Scan scan{name(tail->name(0)), name(tail->name(1)), body(tail->body())};
    return add(ast::Statement{std::move(scan), all, first});
  }
  Parser::AssignTailContext* tail = context->assignTail();
  ast::Assign assign;
  assign.targets.push_back(target(context->name(), tail->shape(), tail->dtype()));
  for (Parser::TargetContext* more : tail->target())
    assign.targets.push_back(target(more->name(), more->shape(), more->dtype()));
  assign.sampled = tail->TILDE() != nullptr;
  assign.value = expr(tail->expr());
  return add(ast::Statement{std::move(assign), all, first});
}

ast::StatementId Builder::repeat(Parser::RepeatStmtContext* context) {
  ast::Repeat repeat;
  if (context->anyName()) repeat.label = name(context->anyName());
  const auto parts = context->expr();
  if (context->IN()) {
    repeat.counter = bare_name(parts[0]);
    if (!repeat.counter) complain(span(parts[0]), "expected the name of a counter before `in`");
  }
  repeat.count = expr(parts.back());
  repeat.body = body(context->body());
  return add(ast::Statement{std::move(repeat), span(context), span(context->start)});
}

ast::StatementId Builder::loss(Parser::LossStmtContext* context) {
  ast::Loss loss;
  const auto parts = context->expr();
  if (context->EQUALS()) {
    loss.name = bare_name(parts[0]);
    if (!loss.name) complain(span(parts[0]), "expected the name of the loss before `=`");
  }
  loss.value = expr(parts.back());
  return add(ast::Statement{std::move(loss), span(context), span(context->start)});
}

ast::Target Builder::target(Parser::NameContext* word, Parser::ShapeContext* dims,
                            Parser::DtypeContext* type) {
  return {name(word), optional_shape(dims), dtype(type)};
}

}  // namespace mtfc::syntax
