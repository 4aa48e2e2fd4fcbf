// Expressions: dispatch, literals, static choice.
#include "frontend/elaborate/expressions.h"

#include "frontend/elaborate/foreign_names.h"
#include "frontend/elaborate/names.h"
#include "frontend/elaborate/note_symbols.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/values.h"

namespace mtfc::elab {

namespace {

constexpr int max_depth = 800;  // expressions, with what lies between them counted as several

Val literal_value(const ast::Number& number) {
  if (number.whole && number.fits) return {Number::whole(number.integer)};
  return {Number::of(number.value)};
}

Val if_then_else(Context& cx, const ast::IfThenElse& choice) {
  const auto condition = static_condition(cx, choice.condition);
  if (!condition) return {};
  return eval(cx, *condition ? choice.then_value : choice.else_value);
}

/// `nn.rate`: a constant of a used file. Fields of data stand after `from` only.
Val eval_field(Context& cx, const ast::Field& field, Span span) {
  const auto* base = std::get_if<ast::NameRef>(&cx.expr(field.base).node);
  const Module* here = cx.now.scope->module;
  for (const Module* used : base&& here ? here->uses : std::vector<const Module*>{}) {
    if (used->name != base->name.text) continue;
    Scope& scope = statics(cx, *used);
    const auto it = scope.names.find(field.name.text);
    if (it == scope.names.end()) continue;
    if (it->second.ready != Binding::Ready::yes) settle(cx, field.name.text, it->second, scope);
    note_file_use(cx, *here, *used, base->name.span);
    note_use(cx, it->second, field.name.span);
    return it->second.val;
  }
  Diagnostic d = diag(DiagKind::unknown_name, quoted_source(cx, span) + " is not a value").at(span);
  const std::string advice = advice_on_operation(field.name.text);
  if (!advice.empty())
    d.helps.emplace_back(advice);
  else
    d.note(
        "a field of a data source is written after `from`, a constant of a used file after "
        "the file's name");
  report(cx, std::move(d));
  return {};
}

Val eval_leaf(Context& cx, ast::ExprId id) {
  const ast::Expr& e = cx.expr(id);
  if (const auto* n = std::get_if<ast::Number>(&e.node)) return literal_value(*n);
  if (const auto* s = std::get_if<ast::String>(&e.node)) return {s->value};
  if (const auto* b = std::get_if<ast::Boolean>(&e.node)) return {b->value};
  if (const auto* n = std::get_if<ast::NameRef>(&e.node)) return name_value(cx, n->name);
  if (const auto* u = std::get_if<ast::Unary>(&e.node)) return eval_unary(cx, *u, e.span);
  if (const auto* i = std::get_if<ast::IfThenElse>(&e.node)) return if_then_else(cx, *i);
  if (const auto* c = std::get_if<ast::Call>(&e.node)) return eval_call(cx, *c, e.span);
  return eval_field(cx, std::get<ast::Field>(e.node), e.span);
}

}  // namespace

Val eval(Context& cx, ast::ExprId id) {
  if (too_much(cx, cx.expr(id).span)) return {};
  if (cx.depth >= max_depth) {
    report(cx, diag(DiagKind::program_too_large, "blocks and expressions are nested too deeply")
                   .at(cx.expr(id).span, "given up here")
                   .help("write a chain of blocks that call each other as `repeat`, and give parts "
                         "of an expression names of their own"));
    cx.stopped = true;
    return {};
  }
  ++cx.depth;
  std::vector<ast::ExprId> spine;
  for (;; id = std::holds_alternative<ast::Binary>(cx.expr(id).node)
                   ? std::get<ast::Binary>(cx.expr(id).node).left
                   : std::get<ast::View>(cx.expr(id).node).base) {
    const auto& node = cx.expr(id).node;
    if (!std::holds_alternative<ast::Binary>(node) && !std::holds_alternative<ast::View>(node))
      break;
    spine.push_back(id);
  }
  Operand left{eval_leaf(cx, id), cx.expr(id).span};
  for (; !spine.empty(); spine.pop_back()) {
    const ast::Expr& e = cx.expr(spine.back());
    if (const auto* b = std::get_if<ast::Binary>(&e.node)) {
      left.val = eval_binary(cx, b->op, b->op_span, e.span, left, eval_operand(cx, b->right));
    } else {
      left.val = eval_view(cx, std::get<ast::View>(e.node), e.span, left);
    }
    left.span = e.span;
  }
  --cx.depth;
  return left.val;
}

std::optional<bool> static_condition(Context& cx, ast::ExprId id) {
  const Val val = eval(cx, id);
  if (const bool* flag = val.boolean()) return *flag;
  if (val.tensor()) {
    report(cx, diag(DiagKind::not_static, "the condition of `if` is a tensor")
                   .at(cx.expr(id).span, show(cx, val))
                   .note("`if` chooses before the run; its condition must be made of literals, "
                         "dimensions, constants and `training`")
                   .help("to choose element by element write `where(" +
                         std::string(cx.session.sources.text(cx.expr(id).span)) + ", a, b)`"));
  } else if (!val.poison()) {
    report(cx, diag(DiagKind::type_mismatch, "the condition of `if` is not true or false")
                   .at(cx.expr(id).span, show(cx, val)));
  }
  return std::nullopt;
}

std::optional<Number> static_number(Context& cx, ast::ExprId id, const std::string& what) {
  const Val val = eval(cx, id);
  if (const Number* number = val.number()) return *number;
  not_static(cx, val, cx.expr(id).span, what);
  return std::nullopt;
}

void not_static(Context& cx, const Val& val, Span span, const std::string& what) {
  if (val.poison()) return;
  if (val.is_static()) {
    report(cx, diag(DiagKind::type_mismatch, what + " must be a number").at(span, show(cx, val)));
    return;
  }
  report(cx, diag(DiagKind::not_static, what + " must be known before the run")
                 .at(span, val.tensor() ? "this is a tensor, " + show(cx, val)
                                        : "this is " + show(cx, val))
                 .note("static values are made of literals, dimensions, constants, `training` and "
                       "counters of `repeat`"));
}

}  // namespace mtfc::elab
