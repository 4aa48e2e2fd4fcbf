// Operators, folded with a stack instead of recursion: a sum may have any number of terms.
#include <utility>

#include "frontend/syntax/tree_builder.h"

namespace mtfc::syntax {

namespace {

/// How strongly operators bind, from loose to tight.
enum Strength { s_if, s_or, s_and, s_not, s_comparison, s_sum, s_product, s_minus, s_power };

struct OperatorInfo {
  ast::BinaryOp op;
  Strength strength;
};

OperatorInfo operator_info(std::size_t token) {
  using ast::BinaryOp;
  switch (token) {
    case Parser::POWER:
      return {BinaryOp::power, s_power};
    case Parser::TIMES:
      return {BinaryOp::multiply, s_product};
    case Parser::DIVIDE:
      return {BinaryOp::divide, s_product};
    case Parser::FLOORDIV:
      return {BinaryOp::floor_divide, s_product};
    case Parser::MODULO:
      return {BinaryOp::modulo, s_product};
    case Parser::PLUS:
      return {BinaryOp::add, s_sum};
    case Parser::MINUS:
      return {BinaryOp::subtract, s_sum};
    case Parser::EQ:
      return {BinaryOp::equal, s_comparison};
    case Parser::NE:
      return {BinaryOp::not_equal, s_comparison};
    case Parser::LT:
      return {BinaryOp::less, s_comparison};
    case Parser::LE:
      return {BinaryOp::less_equal, s_comparison};
    case Parser::GT:
      return {BinaryOp::greater, s_comparison};
    case Parser::GE:
      return {BinaryOp::greater_equal, s_comparison};
    case Parser::AND:
      return {BinaryOp::logical_and, s_and};
    default:
      return {BinaryOp::logical_or, s_or};
  }
}

}  // namespace

struct Builder::Pending {
  enum class Kind { unary, binary, if_then_else } kind;
  int strength;
  Span op_span;
  ast::UnaryOp unary{};
  ast::BinaryOp binary{};
  ast::ExprId condition{}, then_value{};  // of if_then_else
};

struct Builder::OperatorStack {
  std::vector<Operand> operands;
  std::vector<Pending> operators;
  bool chain_reported = false;
};

ast::ExprId Builder::add(ast::Expr expr) {
  const auto id = next_id<ast::ExprId>(out_.exprs);
  out_.exprs.push_back(std::move(expr));
  return id;
}

ast::ExprId Builder::expr(Parser::ExprContext* context) { return operation(context).id; }

Builder::Operand Builder::operation(Parser::ExprContext* context) {
  OperatorStack stack;
  for (Tree* child : context->children) {
    auto* rule = static_cast<Rule*>(child);
    if (rule->getRuleIndex() == Parser::RuleBinary) {
      binary(stack, static_cast<Parser::BinaryContext*>(rule));
      continue;
    }
    auto* part = static_cast<Parser::OperandContext*>(rule);
    for (Tree* piece : part->children) {
      if (static_cast<Rule*>(piece)->getRuleIndex() != Parser::RulePrefix) break;
      prefix(stack, static_cast<Parser::PrefixContext*>(piece));
    }
    const auto waiting = stack.operators.size();
    if (too_deep(span(part), waiting)) return {add({ast::Number{}, span(part)}), span(part)};
    depth_ += static_cast<int>(waiting);
    stack.operands.push_back(operand(part));
    depth_ -= static_cast<int>(waiting);
  }
  while (!stack.operators.empty()) reduce(stack);
  return stack.operands.back();
}

void Builder::prefix(OperatorStack& stack, Parser::PrefixContext* context) {
  Pending op{Pending::Kind::unary, s_minus, span(context->start)};
  switch (context->start->getType()) {
    case Parser::MINUS:
      op.unary = ast::UnaryOp::negate;
      break;
    case Parser::NOT:
      op.unary = ast::UnaryOp::logical_not;
      op.strength = s_not;
      break;
    default: {
      op.kind = Pending::Kind::if_then_else;
      op.strength = s_if;
      const auto parts = context->expr();
      depth_ += static_cast<int>(stack.operators.size()) + 1;
      op.condition = expr(parts[0]);
      op.then_value = expr(parts[1]);
      depth_ -= static_cast<int>(stack.operators.size()) + 1;
    }
  }
  stack.operators.push_back(op);
}

void Builder::binary(OperatorStack& stack, Parser::BinaryContext* context) {
  const OperatorInfo found = operator_info(context->start->getType());
  Pending op{Pending::Kind::binary, found.strength, span(context->start)};
  op.binary = found.op;
  // `^` takes its right side first: an equal one before it waits.
  const int yields = found.strength == s_power ? s_power + 1 : found.strength;
  while (!stack.operators.empty() && stack.operators.back().strength >= yields) {
    if (found.strength == s_comparison && stack.operators.back().strength == s_comparison)
      complain_about_chain(stack, op);
    reduce(stack);
  }
  stack.operators.push_back(op);
}

void Builder::reduce(OperatorStack& stack) {
  const Pending op = stack.operators.back();
  stack.operators.pop_back();
  const Operand right = stack.operands.back();
  stack.operands.pop_back();
  Span all = join(op.op_span, right.outer);
  ast::Expr made;
  if (op.kind == Pending::Kind::unary) {
    made.node = ast::Unary{op.unary, op.op_span, right.id};
  } else if (op.kind == Pending::Kind::if_then_else) {
    made.node = ast::IfThenElse{op.condition, op.then_value, right.id};
  } else {
    const Operand left = stack.operands.back();
    stack.operands.pop_back();
    all = join(left.outer, right.outer);
    made.node = ast::Binary{op.binary, op.op_span, left.id, right.id};
  }
  made.span = all;
  stack.operands.push_back({add(std::move(made)), all});
}

void Builder::complain_about_chain(OperatorStack& stack, const Pending& second) {
  if (std::exchange(stack.chain_reported, true)) return;
  const Pending& first = stack.operators.back();
  const std::string middle(sources_.text(stack.operands.back().outer));
  Diagnostic d = diag(DiagKind::chained_comparison, "comparisons do not chain")
                     .at(second.op_span, "second comparison")
                     .also(first.op_span, "first comparison");
  if (middle.size() < 30 && middle.find('\n') == std::string::npos)
    d.helps.push_back("write `... " + std::string(spelling(first.binary)) + " " + middle + " and " +
                      middle + " " + std::string(spelling(second.binary)) + " ...`");
  else
    d.helps.push_back("write two comparisons joined by `and`");
  diagnostics_.report(std::move(d));
}

}  // namespace mtfc::syntax
