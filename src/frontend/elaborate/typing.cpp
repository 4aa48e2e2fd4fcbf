// Tensors: the types of what meets, static values becoming tensors, what a value depends on.
#include <cmath>
#include <limits>

#include "frontend/elaborate/elaborator.h"

namespace mtfc::elab {

ops::Builder& Elaborator::at(Span span) {
  build_.origin.span = span;
  build_.origin.scope = now_.scope ? now_.scope->path : "";
  return build_;
}

Val Elaborator::tensor(ValueId id, Span span) {
  if (!check_size(build_.type(id).dims, span)) return {};
  return {id};
}

const Dims& Elaborator::dims_of(const Val& val) const {
  static const Dims none;
  return val.tensor() ? build_.type(*val.tensor()).dims : none;
}

/// A number or tensor that arithmetic takes: not bool, not a string.
bool Elaborator::is_numeric(const Operand& operand, const std::string& what) {
  if (operand.val.poison()) return false;
  if (operand.val.number()) return true;
  const bool boolean =
      operand.val.boolean() || (operand.val.tensor() && type(operand).dtype == DType::boolean);
  if (operand.val.tensor() && !boolean) return true;
  Diagnostic d = diag(DiagKind::type_mismatch, what + " takes numbers, and " + code(operand.span) +
                                                   " is " + (boolean ? "bool" : show(operand.val)))
                     .at(operand.span, show(operand.val));
  if (boolean && operand.val.tensor())
    d.helps.push_back("count it with `f32(" + std::string(session_.sources.text(operand.span)) +
                      ")`");
  report(std::move(d));
  return false;
}

namespace {

/// The wider of two float types; absent for bf16 with f16.
std::optional<DType> wider(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::f64 || b == DType::f64) return DType::f64;
  if (a == DType::f32 || b == DType::f32) return DType::f32;
  return std::nullopt;
}

double largest(DType dtype) {
  if (dtype == DType::f16) return 65504.0;
  if (dtype == DType::bf16) return 3.3895313892515355e38;
  if (dtype == DType::f32) return std::numeric_limits<float>::max();
  return std::numeric_limits<double>::max();
}

}  // namespace

/// The type in which the operands meet. Numbers take the type of the tensors; alone they are int
/// if all are whole, else f32. Absent if they do not go together (reported) or one is poison.
std::optional<DType> Elaborator::common_type(const std::vector<Operand>& operands) {
  std::optional<DType> common;
  const Operand* decided_by = nullptr;
  bool halves = false;
  for (const Operand& o : operands) halves = halves || (o.val.tensor() && is_half(type(o).dtype));
  bool all_whole = true, any_bool = false, any_number = false;
  for (const Operand& o : operands) {
    if (o.val.poison()) return std::nullopt;
    if (const Number* n = o.val.number()) {
      all_whole = all_whole && n->exact;
      any_number = true;
    }
    any_bool = any_bool || o.val.boolean();
    if (o.val.text() || o.val.values()) {
      report(diag(DiagKind::type_mismatch, code(o.span) + " is " + show(o.val) + ", not a tensor")
                 .at(o.span));
      return std::nullopt;
    }
    if (!o.val.tensor()) continue;
    if (halves && yields(*o.val.tensor())) continue;
    const DType mine = type(o).dtype;
    if (!common) {
      common = mine;
      decided_by = &o;
      continue;
    }
    if (*common == mine) continue;
    const auto both = is_float(*common) && is_float(mine) ? wider(*common, mine) : std::nullopt;
    if (both) {
      common = both;
      continue;
    }
    const bool floats = is_float(*common) && is_float(mine);
    const Operand& not_float = is_float(*common) ? o : *decided_by;
    Diagnostic d =
        diag(DiagKind::type_mismatch, code(decided_by->span) + " is " + std::string(name(*common)) +
                                          " and " + code(o.span) + " is " + std::string(name(mine)))
            .at(o.span, show(o.val))
            .also(decided_by->span, show(decided_by->val));
    const std::string text(session_.sources.text(not_float.span));
    d.helps.push_back(floats ? "cast one of them: `f32(" + text + ")`"
                             : "types are not mixed silently: write `f32(" + text + ")`");
    if (!floats && (is_float(*common) || is_float(mine)))
      d.fixes.push_back({not_float.span, "f32(" + text + ")"});
    report(std::move(d));
    return std::nullopt;
  }
  if (common) return common;
  if (any_bool && !any_number) return DType::boolean;
  return all_whole ? DType::i32 : machine(DType::f32);
}

/// The number as an element of `dtype`; reported if it is none.
std::optional<double> Elaborator::constant_of(const Number& number, DType dtype, Span span) {
  const double value = number.value();
  if (is_float(dtype)) {
    if (std::fabs(value) <= largest(dtype) || std::isnan(value)) return value;
    return std::copysign(largest(dtype), value);
  }
  const auto whole = number.as_integer();
  if (dtype == DType::i32 && whole && *whole >= -2147483648LL && *whole <= 2147483647LL)
    return static_cast<double>(*whole);
  const std::string what = dtype == DType::boolean ? "a number meets a bool"
                           : whole ? to_string(number) + " does not fit an int of 32 bits"
                                   : to_string(number) + " is not whole and meets an int";
  report(diag(DiagKind::type_mismatch, what)
             .at(span, dtype == DType::boolean ? "compare it, or write `true` or `false`"
                                               : "the other side is int")
             .help("cast the int side with `f32(...)`, or round the number"));
  return std::nullopt;
}

/// A static number, or for bools a static bool, as an element of `dtype`.
std::optional<double> Elaborator::constant_operand(const Operand& operand, DType dtype,
                                                   const std::string& what) {
  const bool* flag = operand.val.boolean();
  if (flag && dtype == DType::boolean) return *flag;
  if (const Number* number = operand.val.number()) return constant_of(*number, dtype, operand.span);
  not_static(operand.val, operand.span, what);
  return std::nullopt;
}

std::optional<ValueId> Elaborator::as_tensor(const Operand& operand, DType dtype) {
  if (const ValueId* id = operand.val.tensor()) return at(operand.span).cast(*id, dtype);
  if (const Number* number = operand.val.number()) {
    const auto value = constant_of(*number, dtype, operand.span);
    if (!value) return std::nullopt;
    return at(operand.span).constant(*value, dtype);
  }
  const bool* flag = operand.val.boolean();
  if (flag && dtype == DType::boolean) return at(operand.span).constant(*flag, dtype);
  if (!operand.val.poison())
    report(diag(DiagKind::type_mismatch, code(operand.span) + " is " + show(operand.val) +
                                             ", and " + std::string(name(dtype)) + " is needed")
               .at(operand.span));
  return std::nullopt;
}

std::optional<ValueId> Elaborator::as_tensor(const Operand& operand) {
  const auto dtype = common_type({operand});
  if (!dtype) return std::nullopt;
  return as_tensor(operand, *dtype);
}

std::optional<std::vector<ValueId>> Elaborator::unify(const std::vector<Operand>& operands) {
  const auto dtype = common_type(operands);
  if (!dtype) return std::nullopt;
  std::vector<ValueId> ids;
  for (const Operand& o : operands) {
    const auto id = as_tensor(o, *dtype);
    if (!id) return std::nullopt;
    ids.push_back(*id);
  }
  return ids;
}

/// A float tensor, made of a number if it is one. Ints and bools are errors.
std::optional<ValueId> Elaborator::as_float(const Operand& operand, const std::string& what) {
  if (!is_numeric(operand, what)) return std::nullopt;
  if (operand.val.number()) return as_tensor(operand, machine(DType::f32));
  if (is_float(type(operand).dtype)) return *operand.val.tensor();
  const std::string text(session_.sources.text(operand.span));
  report(
      diag(DiagKind::type_mismatch, what + " takes floats, and " + code(operand.span) + " is int")
          .at(operand.span, show(operand.val))
          .help("write `f32(" + text + ")`")
          .fix(operand.span, "f32(" + text + ")"));
  return std::nullopt;
}

/// Whether inputs (1) or parameters (2) go into a value; extended to new values as asked.
bool Elaborator::depends_on_data(ValueId id) {
  depends_on_parameters(id);
  return depends_[id.at()] != 0;
}

bool Elaborator::depends_on_parameters(ValueId id) {
  while (depends_.size() < graph_.values.size()) {
    const ValueId next = next_id<ValueId>(depends_);
    const Operation& op = graph_.producer(next);
    std::uint8_t bits = op.op == "input" ? 1 : 0;
    if (op.op == "read") {
      const auto it = session_.variables.find(op.attrs.text("variable"));
      const bool parameter =
          it != session_.variables.end() &&
          session_.model.variables[it->second.at()].kind == Variable::Kind::parameter;
      bits = parameter ? 2 : 0;
    }
    for (ValueId operand : op.operands) bits |= depends_[operand.at()];
    depends_.push_back(bits);
  }
  return depends_[id.at()] & 2;
}

}  // namespace mtfc::elab
