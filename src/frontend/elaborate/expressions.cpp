// Expressions: dispatch, literals, static choice.
#include "frontend/elaborate/elaborator.h"

namespace mtfc::elab {

namespace {
constexpr int max_depth = 800;  // expressions, with what lies between them counted as several
}

/// Chains of operators and of views lean to the left and may be long: walked without recursion.
Val Elaborator::eval(ast::ExprId id) {
  if (too_much(expr(id).span)) return {};
  if (depth_ >= max_depth) {
    report(diag(DiagKind::program_too_large, "blocks and expressions are nested too deeply")
               .at(expr(id).span, "given up here"));
    stopped_ = true;
    return {};
  }
  ++depth_;
  std::vector<ast::ExprId> spine;
  for (;; id = std::holds_alternative<ast::Binary>(expr(id).node)
                   ? std::get<ast::Binary>(expr(id).node).left
                   : std::get<ast::View>(expr(id).node).base) {
    const auto& node = expr(id).node;
    if (!std::holds_alternative<ast::Binary>(node) && !std::holds_alternative<ast::View>(node))
      break;
    spine.push_back(id);
  }
  Operand left{eval_leaf(id), expr(id).span};
  for (; !spine.empty(); spine.pop_back()) {
    const ast::Expr& e = expr(spine.back());
    if (const auto* b = std::get_if<ast::Binary>(&e.node)) {
      left.val = binary(b->op, b->op_span, e.span, left, operand(b->right));
    } else {
      left.val = view(std::get<ast::View>(e.node), e.span, left);
    }
    left.span = e.span;
  }
  --depth_;
  return left.val;
}

Val Elaborator::eval_leaf(ast::ExprId id) {
  const ast::Expr& e = expr(id);
  if (const auto* n = std::get_if<ast::Number>(&e.node)) return literal(*n);
  if (const auto* s = std::get_if<ast::String>(&e.node)) return {s->value};
  if (const auto* b = std::get_if<ast::Boolean>(&e.node)) return {b->value};
  if (const auto* n = std::get_if<ast::NameRef>(&e.node)) return name_value(n->name);
  if (const auto* u = std::get_if<ast::Unary>(&e.node)) return unary(*u, e.span);
  if (const auto* i = std::get_if<ast::IfThenElse>(&e.node)) return if_then_else(*i);
  if (const auto* c = std::get_if<ast::Call>(&e.node)) return call(*c, e.span);
  return field(std::get<ast::Field>(e.node), e.span);
}

Val Elaborator::literal(const ast::Number& number) {
  if (number.whole && number.fits) return {Number::whole(number.integer)};
  return {Number::of(number.value)};
}

/// `nn.rate`: a constant of a used file. Fields of data stand after `from` only.
Val Elaborator::field(const ast::Field& field, Span span) {
  const auto* base = std::get_if<ast::NameRef>(&expr(field.base).node);
  const Module* here = now_.scope->module;
  for (const Module* used : base&& here ? here->uses : std::vector<const Module*>{}) {
    if (used->name != base->name.text) continue;
    Scope& scope = statics(*used);
    const auto it = scope.names.find(field.name.text);
    if (it == scope.names.end()) continue;
    if (it->second.ready != Binding::Ready::yes) settle(field.name.text, it->second, scope);
    return it->second.val;
  }
  report(diag(DiagKind::unknown_name, code(span) + " is not a value")
             .at(span)
             .note("a field of a data source stands only after `from`, a constant of a used file "
                   "after the file's name"));
  return {};
}

Val Elaborator::if_then_else(const ast::IfThenElse& choice) {
  const auto condition = static_condition(choice.condition);
  if (!condition) return {};
  return eval(*condition ? choice.then_value : choice.else_value);
}

std::optional<bool> Elaborator::static_condition(ast::ExprId id) {
  const Val val = eval(id);
  if (const bool* flag = val.boolean()) return *flag;
  if (val.tensor()) {
    report(diag(DiagKind::not_static, "the condition of `if` is a tensor")
               .at(expr(id).span, show(val))
               .note("`if` chooses before the run; its condition must be made of literals, "
                     "dimensions, constants and `training`")
               .help("to choose element by element write `where(" +
                     std::string(session_.sources.text(expr(id).span)) + ", a, b)`"));
  } else if (!val.poison()) {
    report(diag(DiagKind::type_mismatch, "the condition of `if` is not true or false")
               .at(expr(id).span, show(val)));
  }
  return std::nullopt;
}

std::optional<Number> Elaborator::static_number(ast::ExprId id, const std::string& what) {
  const Val val = eval(id);
  if (const Number* number = val.number()) return *number;
  not_static(val, expr(id).span, what);
  return std::nullopt;
}

void Elaborator::not_static(const Val& val, Span span, const std::string& what) {
  if (val.poison()) return;
  if (val.is_static()) {
    report(diag(DiagKind::type_mismatch, what + " must be a number").at(span, show(val)));
    return;
  }
  report(diag(DiagKind::not_static, what + " must be known before the run")
             .at(span, val.tensor() ? "this is a tensor, " + show(val) : "this is " + show(val))
             .note("static values are made of literals, dimensions, constants, `training` and "
                   "counters of `repeat`"));
}

}  // namespace mtfc::elab
