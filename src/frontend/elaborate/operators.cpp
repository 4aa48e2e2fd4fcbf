// Operators between static values and tensors.
#include <cmath>

#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/values.h"

namespace mtfc::elab {

using ast::BinaryOp;

namespace {

bool is_comparison(BinaryOp op) { return op >= BinaryOp::equal && op <= BinaryOp::greater_equal; }

bool is_logic(BinaryOp op) { return op == BinaryOp::logical_and || op == BinaryOp::logical_or; }

/// The name in the operation table.
const char* operation(BinaryOp op) {
  switch (op) {
    case BinaryOp::add:
      return "add";
    case BinaryOp::subtract:
      return "sub";
    case BinaryOp::multiply:
      return "mul";
    case BinaryOp::divide:
      return "div";
    case BinaryOp::floor_divide:
      return "floordiv";
    case BinaryOp::modulo:
      return "mod";
    case BinaryOp::power:
      return "pow";
    case BinaryOp::equal:
      return "eq";
    case BinaryOp::not_equal:
      return "ne";
    case BinaryOp::less:
      return "lt";
    case BinaryOp::less_equal:
      return "le";
    case BinaryOp::greater:
      return "gt";
    case BinaryOp::greater_equal:
      return "ge";
    case BinaryOp::logical_and:
      return "logical_and";
    case BinaryOp::logical_or:
      return "logical_or";
  }
  return "";
}

Val static_binary(Context& cx, BinaryOp op, Span span, const Operand& a, const Operand& b) {
  const std::string sign = "`" + std::string(spelling(op)) + "`";
  if (is_logic(op)) {
    const bool *x = a.val.boolean(), *y = b.val.boolean();
    if (x && y) return {op == BinaryOp::logical_and ? *x && *y : *x || *y};
    const Operand& wrong = x ? b : a;
    report(cx, diag(DiagKind::type_mismatch, sign + " takes bools, and " +
                                                 quoted_source(cx, wrong.span) + " is " +
                                                 show(cx, wrong.val))
                   .at(wrong.span));
    return {};
  }
  if (op == BinaryOp::equal || op == BinaryOp::not_equal) {
    const bool negate = op == BinaryOp::not_equal;
    if (a.val.boolean() && b.val.boolean())
      return {(*a.val.boolean() == *b.val.boolean()) != negate};
    if (a.val.text() && b.val.text()) return {(*a.val.text() == *b.val.text()) != negate};
    if (a.val.is_static() && b.val.is_static() && a.val.v.index() != b.val.v.index()) {
      report(cx, diag(DiagKind::type_mismatch, sign + " needs two sides of one kind")
                     .at(span)
                     .note(quoted_source(cx, a.span) + " is " + show(cx, a.val) + ", " +
                           quoted_source(cx, b.span) + " is " + show(cx, b.val)));
      return {};
    }
  }
  if (!is_numeric(cx, a, sign) || !is_numeric(cx, b, sign)) return {};
  if (is_comparison(op)) return {compare(op, *a.val.number(), *b.val.number())};
  const Number &x = *a.val.number(), &y = *b.val.number();
  const auto result = arithmetic(op, x, y);
  if (op == BinaryOp::power && x.value() == 0 && y.value() < 0)
    report(cx, diag(DiagKind::no_result, "0 to the power of " + to_string(y) + " is not a number")
                   .at(span)
                   .note("it is a division by zero"));
  else if (!result)
    report(cx, diag(DiagKind::no_result, "division by zero").at(span).also(b.span, "this is 0"));
  else if (std::isnan(result->value()))
    report(cx, diag(DiagKind::no_result,
                    sign + " of " + to_string(x) + " and " + to_string(y) + " is not a number")
                   .at(span));
  else
    return {*result};
  return {};
}

Val arithmetic_op(Context& cx, BinaryOp op, Span op_span, const Operand& a, const Operand& b) {
  const std::string sign(spelling(op));
  if (!is_numeric(cx, a, "`" + sign + "`") || !is_numeric(cx, b, "`" + sign + "`")) return {};
  const auto dtype = common_type(cx, {a, b});
  if (!dtype) return {};
  const bool ints_only = op == BinaryOp::floor_divide || op == BinaryOp::modulo;
  const auto text_of = [&](const Operand& operand) {
    return std::string(cx.session.sources.text(operand.span));
  };
  if (op == BinaryOp::divide && !is_float(*dtype)) {
    report(cx, diag(DiagKind::type_mismatch, "`/` between ints")
                   .at(op_span)
                   .note(a.val.is_static() || b.val.is_static()
                             ? "a number takes the type of the tensor that it meets, int here"
                             : "both sides are int, and their quotient need not be")
                   // A number has no type to cast: it takes that of what it meets.
                   .help("write `//` to round down, or cast: `" +
                         (a.val.is_static() ? "... / f32(" + text_of(b) + ")`"
                                            : "f32(" + text_of(a) + ") / ...`")));
    return {};
  }
  if (ints_only && is_float(*dtype)) {
    report(cx, diag(DiagKind::type_mismatch, "`" + sign + "` is for ints")
                   .at(op_span, std::string(name(*dtype)))
                   .help(op == BinaryOp::modulo ? "cast with `int(...)`" : "write `floor(a / b)`"));
    return {};
  }
  const Span span = cx.build.origin.span;
  const auto x = as_tensor(cx, a, *dtype), y = as_tensor(cx, b, *dtype);
  if (!x || !y) return {};
  if (!ints_only) warn_union(cx, sign, op_span, a, b);
  return {build_at(cx, span).binary(operation(op), *x, *y)};
}

Val comparison_op(Context& cx, BinaryOp op, const Operand& a, const Operand& b) {
  const auto dtype = common_type(cx, {a, b});
  if (!dtype) return {};
  const std::string sign(spelling(op));
  if (*dtype == DType::boolean && op != BinaryOp::equal && op != BinaryOp::not_equal) {
    is_numeric(cx, a.val.tensor() ? a : b, "`" + sign + "`");
    return {};
  }
  if (*dtype != DType::boolean && (a.val.boolean() || b.val.boolean())) {
    const Operand &flag = a.val.boolean() ? a : b, &other = a.val.boolean() ? b : a;
    const bool equal = (op == BinaryOp::equal) == *flag.val.boolean();
    report(
        cx,
        diag(DiagKind::type_mismatch, "`" + sign + "` compares " + quoted_source(cx, other.span) +
                                          ", which is " + std::string(name(*dtype)) +
                                          ", with the bool " + quoted_source(cx, flag.span))
            .at(flag.span, "a bool")
            .also(other.span, show(cx, other.val))
            .help("compare it with a number: `" + std::string(cx.session.sources.text(other.span)) +
                  (equal ? " != 0`" : " == 0`")));
    return {};
  }
  const Span span = cx.build.origin.span;
  const auto x = as_tensor(cx, a, *dtype), y = as_tensor(cx, b, *dtype);
  if (!x || !y) return {};
  return {build_at(cx, span).binary(operation(op), *x, *y)};
}

Val logic_op(Context& cx, BinaryOp op, const Operand& a, const Operand& b) {
  const std::string sign = "`" + std::string(spelling(op)) + "`";
  for (const Operand* o : {&a, &b}) {
    const bool fine =
        o->val.boolean() || (o->val.tensor() && type_of(cx, *o).dtype == DType::boolean);
    if (fine) continue;
    report(cx,
           diag(DiagKind::type_mismatch, sign + " takes bools, and " + quoted_source(cx, o->span) +
                                             " is " + show(cx, o->val))
               .at(o->span)
               .help("compare it: `" + std::string(cx.session.sources.text(o->span)) + " != 0`"));
    return {};
  }
  const Span span = cx.build.origin.span;
  const auto x = as_tensor(cx, a, DType::boolean), y = as_tensor(cx, b, DType::boolean);
  if (!x || !y) return {};
  return {build_at(cx, span).binary(operation(op), *x, *y)};
}

}  // namespace

Val eval_unary(Context& cx, const ast::Unary& op, Span span) {
  const Operand x = eval_operand(cx, op.operand);
  if (x.val.poison()) return {};
  if (op.op == ast::UnaryOp::logical_not) {
    if (const bool* flag = x.val.boolean()) return {!*flag};
    if (x.val.tensor() && type_of(cx, x).dtype == DType::boolean)
      return {build_at(cx, span).unary("logical_not", *x.val.tensor())};
    report(cx, diag(DiagKind::type_mismatch, "`not` takes bools, and " + quoted_source(cx, x.span) +
                                                 " is " + show(cx, x.val))
                   .at(x.span));
    return {};
  }
  if (!is_numeric(cx, x, "`-`")) return {};
  if (const Number* number = x.val.number()) return {negated(*number)};
  return {build_at(cx, span).unary("neg", *x.val.tensor())};
}

Val eval_binary(Context& cx, BinaryOp op, Span op_span, Span span, const Operand& a,
                const Operand& b) {
  if (a.val.poison() || b.val.poison()) return {};
  if (a.val.is_static() && b.val.is_static()) return static_binary(cx, op, span, a, b);
  Val result;
  build_at(cx, span);
  if (is_logic(op))
    result = logic_op(cx, op, a, b);
  else if (is_comparison(op))
    result = comparison_op(cx, op, a, b);
  else
    result = arithmetic_op(cx, op, op_span, a, b);
  if (!result.tensor()) return {};
  return checked_tensor(cx, *result.tensor(), span);
}

namespace {

/// Whether the operand was written with a rename: `z[batch -> other]`.
bool is_renamed(const Context& cx, const Operand& operand, const std::string& from,
                const std::string& to) {
  std::string text(cx.session.sources.text(operand.span));
  std::erase(text, ' ');
  return text.find("[" + from + "->" + to + "]") != text.npos;
}

}  // namespace

void warn_union(Context& cx, const std::string& op, Span op_span, const Operand& a,
                const Operand& b) {
  if (!a.val.tensor() || !b.val.tensor() || !is_float(type_of(cx, a).dtype)) return;
  const Dims da = dims_of(cx, a.val), db = dims_of(cx, b.val);
  if (is_subset(da, db) || is_subset(db, da)) return;
  if (!depends_on_data(cx, *a.val.tensor()) || !depends_on_data(cx, *b.val.tensor())) return;
  const Dims all = union_of(da, db);
  if (cx.now.declared && is_subset(all, *cx.now.declared)) return;
  double count = 1;
  for (DimId dim : all) count *= static_cast<double>(cx.dims().size(dim));
  Diagnostic d = diag(DiagKind::accidental_union,
                      "neither side of `" + op +
                          "` has all dimensions of the other: the result has their union")
                     .at(op_span, show(cx, da) + " " + op + " " + show(cx, db) + " -> " +
                                      show(cx, all) + " (" + counted(count, "element") + ")");
  d.notes.push_back(is_dims(cx, a) + "; " + is_dims(cx, b));
  d.helps.push_back("if this is intended, say so, on a line of its own: `name[" +
                    dim_names(cx, all) + "] = ...`");
  for (DimId x : without(da, db)) {
    for (DimId y : without(db, da)) {
      if (cx.dims().size(x) != cx.dims().size(y)) continue;
      const std::string &want = cx.dims()[x].name, &have = cx.dims()[y].name;
      if (is_renamed(cx, b, want, have) || is_renamed(cx, a, have, want)) continue;
      d.helps.push_back("if not, `" + have + "` may be meant to be `" + want + "`: `" +
                        std::string(cx.session.sources.text(b.span)) + "[" + have + " -> " + want +
                        "]`");
    }
  }
  report(cx, std::move(d));
}

}  // namespace mtfc::elab
