#include "frontend/elaborate/values.h"

#include <cmath>
#include <limits>

#include "frontend/elaborate/dim_lists.h"
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/names.h"
#include "frontend/elaborate/report.h"

namespace mtfc::elab {

namespace {

/// Two operands whose types do not meet; `common` is what the earlier ones had come to.
void report_mixed(Context& cx, const Operand& decided_by, DType common, const Operand& o) {
  const DType mine = type_of(cx, o).dtype;
  const bool floats = is_float(common) && is_float(mine);
  const Operand& not_float = is_float(common) ? o : decided_by;
  Diagnostic d = diag(DiagKind::type_mismatch,
                      quoted_source(cx, decided_by.span) + " is " + std::string(name(common)) +
                          " and " + quoted_source(cx, o.span) + " is " + std::string(name(mine)))
                     .at(o.span, show(cx, o.val))
                     .also(decided_by.span, show(cx, decided_by.val));
  const Operand& other = &not_float == &o ? decided_by : o;
  // What is compared with a class that was found are labels.
  if (!floats && not_float.val.tensor() &&
      cx.graph.producer(*not_float.val.tensor()).op == "argmax" &&
      propose_int_input(cx, d, other.span))
    return report(cx, std::move(d));
  if (is_shipped(cx, not_float.span.file)) {
    d.helps.push_back("types are not mixed silently: convert what the call gives to the block");
    return report(cx, std::move(d));
  }
  const std::string text(cx.session.sources.text(not_float.span));
  d.helps.push_back(floats ? "cast one of them: `f32(" + text + ")`"
                           : "types are not mixed silently: write `f32(" + text + ")`");
  if (!floats && (is_float(common) || is_float(mine)))
    d.fixes.push_back({not_float.span, "f32(" + text + ")"});
  report(cx, std::move(d));
}

}  // namespace

ops::Builder& build_at(Context& cx, Span span) {
  cx.build.origin.span = span;
  cx.build.origin.call = call_in_model(cx, span);
  cx.build.role.block = cx.now.scope ? cx.now.scope->path : "";
  return cx.build;
}

bool propose_int_input(Context& cx, Diagnostic& d, Span operand) {
  const std::string name(cx.session.sources.text(operand));
  const Binding* binding = find_binding(cx, name, operand);
  if (!binding || binding->kind != Binding::Kind::input) return false;
  const Span declared = binding->declared;
  const std::string_view text = cx.session.sources.text(declared.file);
  const std::size_t end = text.find(']', declared.end);
  if (end == text.npos || text.find('\n', declared.end) < end) return false;
  const std::size_t next = text.find_first_not_of(' ', end + 1);
  if (next == text.npos || text[next] == ':') return false;
  const std::string shape(text.substr(declared.begin, end + 1 - declared.begin));
  const auto at = static_cast<std::uint32_t>(end);
  d.help("an input without a type is a float; labels and ids are ints: `input " + shape +
         ": int from ...`")
      .fix({declared.file, at, at + 1}, "]: int");
  return true;
}

Val checked_tensor(Context& cx, ValueId id, Span span) {
  if (!check_size(cx, cx.build.type(id).dims, span)) return {};
  return {id};
}

const Dims& dims_of(const Context& cx, const Val& val) {
  static const Dims none;
  return val.tensor() ? cx.build.type(*val.tensor()).dims : none;
}

bool is_numeric(Context& cx, const Operand& operand, const std::string& what) {
  if (operand.val.poison()) return false;
  if (operand.val.number()) return true;
  const bool boolean = operand.val.boolean() ||
                       (operand.val.tensor() && type_of(cx, operand).dtype == DType::boolean);
  if (operand.val.tensor() && !boolean) return true;
  Diagnostic d = diag(DiagKind::type_mismatch, what + " takes numbers, and " +
                                                   quoted_source(cx, operand.span) + " is " +
                                                   (boolean ? "bool" : show(cx, operand.val)))
                     .at(operand.span, show(cx, operand.val));
  if (boolean && operand.val.tensor())
    d.helps.push_back("convert it: `f32(" + std::string(cx.session.sources.text(operand.span)) +
                      ")`");
  report(cx, std::move(d));
  return false;
}

std::optional<DType> common_type(Context& cx, const std::vector<Operand>& operands) {
  std::optional<DType> common;
  const Operand* decided_by = nullptr;
  bool halves = false;
  for (const Operand& o : operands)
    halves = halves || (o.val.tensor() && is_half(type_of(cx, o).dtype));
  bool all_whole = true, any_bool = false, any_number = false;
  for (const Operand& o : operands) {
    if (o.val.poison()) return std::nullopt;
    if (const Number* n = o.val.number()) {
      all_whole = all_whole && n->is_int();
      any_number = true;
    }
    any_bool = any_bool || o.val.boolean();
    if (o.val.text() || o.val.values()) {
      report(cx, diag(DiagKind::type_mismatch,
                      quoted_source(cx, o.span) + " is " + show(cx, o.val) + ", not a tensor")
                     .at(o.span));
      return std::nullopt;
    }
    if (!o.val.tensor()) continue;
    if (halves && yields(cx, *o.val.tensor())) continue;
    const DType mine = type_of(cx, o).dtype;
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
    report_mixed(cx, *decided_by, *common, o);
    return std::nullopt;
  }
  if (common) return common;
  if (any_bool && !any_number) return DType::boolean;
  return all_whole ? DType::i32 : computed_type(cx, DType::f32);
}

std::optional<double> constant_of(Context& cx, const Number& number, DType dtype, Span span) {
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
                                   : to_string(number) + " is not whole, and an int is needed";
  Diagnostic d = diag(DiagKind::type_mismatch, what);
  d.at(span,
       dtype == DType::boolean ? "compare it, or write `true` or `false`" : "int is needed here");
  const std::string cast = "if another operand is int, cast it with `f32(...)`";
  if (dtype == DType::i32) d.help(whole ? cast : "round the number; " + cast);
  report(cx, std::move(d));
  return std::nullopt;
}

std::optional<double> constant_operand(Context& cx, const Operand& operand, DType dtype,
                                       const std::string& what) {
  const bool* flag = operand.val.boolean();
  if (flag && dtype == DType::boolean) return *flag;
  if (const Number* number = operand.val.number())
    return constant_of(cx, *number, dtype, operand.span);
  not_static(cx, operand.val, operand.span, what);
  return std::nullopt;
}

std::optional<ValueId> as_tensor(Context& cx, const Operand& operand, DType dtype) {
  if (const ValueId* id = operand.val.tensor()) return build_at(cx, operand.span).cast(*id, dtype);
  if (const Number* number = operand.val.number()) {
    const auto value = constant_of(cx, *number, dtype, operand.span);
    if (!value) return std::nullopt;
    return build_at(cx, operand.span).constant(*value, dtype);
  }
  const bool* flag = operand.val.boolean();
  if (flag && dtype == DType::boolean) return build_at(cx, operand.span).constant(*flag, dtype);
  if (!operand.val.poison())
    report(cx, diag(DiagKind::type_mismatch, quoted_source(cx, operand.span) + " is " +
                                                 show(cx, operand.val) + ", and " +
                                                 std::string(name(dtype)) + " is needed")
                   .at(operand.span));
  return std::nullopt;
}

std::optional<ValueId> as_tensor(Context& cx, const Operand& operand) {
  const auto dtype = common_type(cx, {operand});
  if (!dtype) return std::nullopt;
  return as_tensor(cx, operand, *dtype);
}

std::optional<std::vector<ValueId>> unify(Context& cx, const std::vector<Operand>& operands) {
  const auto dtype = common_type(cx, operands);
  if (!dtype) return std::nullopt;
  std::vector<ValueId> ids;
  for (const Operand& o : operands) {
    const auto id = as_tensor(cx, o, *dtype);
    if (!id) return std::nullopt;
    ids.push_back(*id);
  }
  return ids;
}

std::optional<ValueId> as_float(Context& cx, const Operand& operand, const std::string& what) {
  if (!is_numeric(cx, operand, what)) return std::nullopt;
  if (operand.val.number()) return as_tensor(cx, operand, computed_type(cx, DType::f32));
  if (is_float(type_of(cx, operand).dtype)) return *operand.val.tensor();
  const std::string text(cx.session.sources.text(operand.span));
  report(cx, diag(DiagKind::type_mismatch,
                  what + " takes floats, and " + quoted_source(cx, operand.span) + " is int")
                 .at(operand.span, show(cx, operand.val))
                 .help("write `f32(" + text + ")`")
                 .fix(operand.span, "f32(" + text + ")"));
  return std::nullopt;
}

bool depends_on_data(Context& cx, ValueId id) {
  depends_on_parameters(cx, id);
  return cx.depends[id.at()] != 0;
}

bool depends_on_parameters(Context& cx, ValueId id) {
  while (cx.depends.size() < cx.graph.values.size()) {
    const ValueId next = next_id<ValueId>(cx.depends);
    const Operation& op = cx.graph.producer(next);
    std::uint8_t bits = op.op == "input" ? 1 : 0;
    if (op.op == "read") {
      const auto it = cx.session.variables.find(op.attrs.text("variable"));
      const bool parameter =
          it != cx.session.variables.end() &&
          cx.session.model.variables[it->second.at()].kind == Variable::Kind::parameter;
      bits = parameter ? 2 : 0;
    }
    for (ValueId operand : op.operands) bits |= cx.depends[operand.at()];
    cx.depends.push_back(bits);
  }
  return cx.depends[id.at()] & 2;
}

}  // namespace mtfc::elab
