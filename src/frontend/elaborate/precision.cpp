// `precision = bf16` and `f16`: which tensors are half, which are f32, and which of these yield to
// half ones (docs/precision.md).
#include "frontend/elaborate/elaborator.h"

namespace mtfc::elab {

/// A parameter or input as the model computes with it.
ValueId Elaborator::to_activation(ValueId id, Span span) {
  if (!mixed() || build_.type(id).dtype != DType::f32) return id;
  return at(span).cast(id, session_.activation);
}

/// What is added up, in the type of the sum. The sum yields; nobody asked for it to be f32.
ValueId Elaborator::widened(ValueId id, Span span) {
  if (!mixed() || !is_half(build_.type(id).dtype)) return id;
  const ValueId wide = at(span).cast(id, DType::f32);
  widened_.insert(wide);
  return wide;
}

/// An f32 value that the model did not ask for: where it meets a half one, the result is half.
bool Elaborator::yields(ValueId id) {
  if (!mixed() || build_.type(id).dtype != DType::f32) return false;
  while (asked_.size() < graph_.values.size()) {
    const ValueId next = next_id<ValueId>(asked_);
    const Operation& op = graph_.producer(next);
    bool asked = false;
    if (op.op == "input") {
      asked = true;
    } else if (op.op == "read") {
      const auto it = session_.variables.find(op.attrs.text("variable"));
      asked = it != session_.variables.end() &&
              session_.model.variables[it->second.at()].kind == Variable::Kind::parameter;
    } else if (op.op == "cast") {
      asked = is_float(build_.type(op.operands[0]).dtype) && !widened_.count(next);
    } else {
      for (ValueId operand : op.operands)
        asked = asked || (is_float(build_.type(operand).dtype) && asked_[operand.at()]);
    }
    asked_.push_back(asked && is_float(build_.type(next).dtype) &&
                     !is_half(build_.type(next).dtype));
  }
  return asked_[id.at()] == 0;
}

/// What a declared f32 takes: a half value becomes f32, as the declaration asks.
Operand Elaborator::as_written(const Operand& operand, DType dtype) {
  const bool half = operand.val.tensor() && is_half(type(operand).dtype);
  if (!mixed() || dtype != DType::f32 || !half) return operand;
  return {{at(operand.span).cast(*operand.val.tensor(), dtype)}, operand.span};
}

}  // namespace mtfc::elab
