// `precision = bf16` and `f16`: which tensors are half, which are f32, and which of these yield to
// half ones (docs/precision.md).
#include "frontend/elaborate/foreign_names.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/values.h"

namespace mtfc::elab {

ValueId to_activation(Context& cx, ValueId id, Span span) {
  if (!mixed_precision(cx) || cx.build.type(id).dtype != DType::f32) return id;
  return build_at(cx, span).cast(id, cx.session.activation);
}

ValueId widened(Context& cx, ValueId id, Span span) {
  if (!mixed_precision(cx) || !is_half(cx.build.type(id).dtype)) return id;
  const ValueId wide = build_at(cx, span).cast(id, DType::f32);
  cx.widened.insert(wide);
  return wide;
}

bool yields(Context& cx, ValueId id) {
  if (!mixed_precision(cx) || cx.build.type(id).dtype != DType::f32) return false;
  while (cx.asked.size() < cx.graph.values.size()) {
    const ValueId next = next_id<ValueId>(cx.asked);
    const Operation& op = cx.graph.producer(next);
    bool asked = false;
    if (op.op == "input") {
      asked = true;
    } else if (op.op == "read") {
      const auto it = cx.session.variables.find(op.attrs.text("variable"));
      asked = it != cx.session.variables.end() &&
              cx.session.model.variables[it->second.at()].kind == Variable::Kind::parameter;
    } else if (op.op == "cast") {
      asked = is_float(cx.build.type(op.operands[0]).dtype) && !cx.widened.count(next);
    } else {
      for (ValueId operand : op.operands)
        asked = asked || (is_float(cx.build.type(operand).dtype) && cx.asked[operand.at()]);
    }
    asked = asked || cx.written.count(next);
    cx.asked.push_back(asked && is_float(cx.build.type(next).dtype) &&
                       !is_half(cx.build.type(next).dtype));
  }
  return cx.asked[id.at()] == 0;
}

Operand as_written(Context& cx, const Operand& operand, DType dtype) {
  if (!mixed_precision(cx) || !operand.val.tensor()) return operand;
  const bool half = is_half(type_of(cx, operand).dtype);
  const bool takes =
      is_half(dtype) ? yields(cx, *operand.val.tensor()) : dtype == DType::f32 && half;
  if (!takes) return operand;
  return {{build_at(cx, operand.span).cast(*operand.val.tensor(), dtype)}, operand.span};
}

std::optional<DType> declared_type(Context& cx, const std::optional<ast::Name>& name) {
  if (!name) return std::nullopt;
  if (const auto dtype = dtype_named(name->text)) return computed_type(cx, *dtype);
  Diagnostic d = diag(DiagKind::unknown_name, "`" + name->text + "` is not a type")
                     .at(name->span)
                     .note("types are " + series(dtype_names(), "and"));
  const std::string ours(type_called(name->text));
  if (!ours.empty())
    d.help("it is called `" + ours + "` here").fix(name->span, ours);
  else
    suggest(d, *name, dtype_names());
  report(cx, std::move(d));
  return std::nullopt;
}

}  // namespace mtfc::elab
