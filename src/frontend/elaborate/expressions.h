// Values of expressions.
#pragma once
#include <optional>
#include <string>

#include "frontend/elaborate/context.h"

namespace mtfc::elab {

Val eval(Context& cx, ast::ExprId id);
inline Operand eval_operand(Context& cx, ast::ExprId id) {
  return {eval(cx, id), cx.expr(id).span};
}
// What must be known before the run; absent: reported, in terms of `what`.
std::optional<bool> static_condition(Context& cx, ast::ExprId id);
std::optional<Number> static_number(Context& cx, ast::ExprId id, const std::string& what);
void not_static(Context& cx, const Val& val, Span span, const std::string& what);

// ---------------------------------------------------------------- operators.cpp
Val eval_unary(Context& cx, const ast::Unary& op, Span span);
Val eval_binary(Context& cx, ast::BinaryOp op, Span op_span, Span span, const Operand& a,
                const Operand& b);
/// Warns of two float tensors of which neither has all dimensions of the other, both made of data.
void warn_union(Context& cx, const std::string& op, Span op_span, const Operand& a,
                const Operand& b);

// ---------------------------------------------------------------- views.cpp
Val eval_view(Context& cx, const ast::View& view, Span span, const Operand& base);
/// An alias of `dim` that is not in `taken`.
DimId unused_alias(Context& cx, DimId dim, const Dims& taken);

// ---------------------------------------------------------------- calls.cpp
Val eval_call(Context& cx, const ast::Call& call, Span span);
void unknown_callable(Context& cx, const ast::Call& call);

}  // namespace mtfc::elab
