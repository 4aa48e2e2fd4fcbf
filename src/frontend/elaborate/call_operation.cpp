// Calls of operations whose row in the operation table says how they are called (ops/call_form.h).
#include <cmath>

#include "frontend/elaborate/builtins.h"
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/values.h"
#include "ops/op.h"
#include "support/not_finite.h"

namespace mtfc::elab {

namespace {

using Takes = CallForm::Takes;

/// Either list says what remains.
bool reduces(const CallForm& form) {
  return form.over == CallForm::List::optional && form.to == CallForm::List::optional;
}

/// The one operand as a tensor of the types that the form takes.
std::optional<ValueId> only_operand(Context& cx, const CallSite& site, Takes takes) {
  const Operand& x = site.args[0];
  const std::string name = "`" + site.call->callee.text + "`";
  if (takes == Takes::anything) return as_tensor(cx, x);
  if (!is_numeric(cx, x, name)) return std::nullopt;
  if (takes == Takes::numbers && x.val.tensor()) return *x.val.tensor();
  return as_float(cx, x, name);
}

/// The operands as tensors of one type.
std::optional<std::vector<ValueId>> operands_of(Context& cx, const CallSite& site, Takes takes) {
  if (site.args.size() == 1) {
    const auto x = only_operand(cx, site, takes);
    return x ? std::optional(std::vector<ValueId>{*x}) : std::nullopt;
  }
  const std::string name = "`" + site.call->callee.text + "`";
  for (const Operand& x : site.args) {
    const bool tensor = x.val.tensor();
    if (takes == Takes::floats && tensor && !as_float(cx, x, name)) return std::nullopt;
    if (takes != Takes::anything && !is_numeric(cx, x, name)) return std::nullopt;
  }
  return unify(cx, site.args);
}

std::optional<AttrValue> argument_value(Context& cx, const CallSite& site,
                                        const CallForm::Argument& argument) {
  const std::string name(argument.name);
  if (std::holds_alternative<bool>(argument.otherwise)) return flag_argument(cx, site, name);
  if (const auto* number = std::get_if<double>(&argument.otherwise))
    return number_argument(cx, site, name, *number);
  const Operand* given = site.find(name);
  if (!given) return argument.otherwise;
  return whole_argument(cx, *given, "`" + name + "`");
}

/// The lists, checked against the dimensions of the first operand, as attributes.
bool set_lists(Context& cx, const CallSite& site, const CallForm& form, const Dims& have,
               Attrs& attrs) {
  std::optional<Dims> over = site.over;
  if (reduces(form)) {
    over = reduced_dims(cx, site, have);
    if (!over) return false;
  } else if (over) {
    const std::string action = "take `" + site.call->callee.text + "` over";
    if (!require_dims(cx, site.args[0], *over, *site.call->over, action)) return false;
  }
  if (form.single && !check_fresh(cx, site, have)) return false;
  if (over && !form.over_attr.empty()) attrs.set(std::string(form.over_attr), *over);
  if (site.to && !form.to_attr.empty()) attrs.set(std::string(form.to_attr), *site.to);
  return true;
}

bool set_arguments(Context& cx, const CallSite& site, const CallForm& form, Attrs& attrs) {
  bool fine = true;
  for (const CallForm::Argument& argument : form.arguments) {
    const auto value = argument_value(cx, site, argument);
    fine = fine && value;
    if (value) attrs.set(std::string(argument.name), *value);
  }
  return fine;
}

/// What adds elements up takes bools as ints, and half types as f32.
ValueId summand(Context& cx, ValueId x, Span span) {
  if (cx.build.type(x).dtype == DType::boolean) x = build_at(cx, span).cast(x, DType::i32);
  return widened(cx, x, span);
}

/// A function of a number that is known before the run; `done`: it has one.
Val static_result(Context& cx, const CallSite& site, bool& done) {
  const std::string& name = site.call->callee.text;
  const Number* number = site.args.size() == 1 ? site.args[0].val.number() : nullptr;
  const auto result = number ? static_function(name, *number) : std::nullopt;
  done = result.has_value();
  if (!done) return {};
  const double value = result->value();
  if (std::isfinite(value)) return {*result};
  report(cx, diag(DiagKind::no_result, "`" + name + "` of " + to_string(*number) + " is " +
                                           mtfc::name(worst_of(DType::f64, &value, 1)))
                 .at(site.span));
  return {};
}

}  // namespace

Val call_operation(Context& cx, const CallSite& site) {
  const std::string& name = site.call->callee.text;
  const ops::OpDef& def = ops::op_named(name);
  const CallForm& form = *def.call;
  bool is_static = false;
  const Val result = static_result(cx, site, is_static);
  if (is_static) return result;
  std::optional<std::vector<ValueId>> operands;
  if (!form.single || check_single(cx, site)) operands = operands_of(cx, site, form.takes);
  Attrs attrs;
  bool fine = operands && set_lists(cx, site, form, cx.build.type((*operands)[0]).dims, attrs);
  fine = set_arguments(cx, site, form, attrs) && fine;
  if (!fine) return {};
  if (form.sums)
    for (std::size_t i = 0; i < operands->size(); ++i)
      (*operands)[i] = summand(cx, (*operands)[i], site.args[i].span);
  std::vector<TensorType> types;
  for (ValueId id : *operands) types.push_back(cx.build.type(id));
  const ops::Inferred inferred = def.infer({cx.dims(), types, attrs});
  if (!inferred.error.empty()) {
    report(cx, diag(DiagKind::type_mismatch, "`" + name + "`: " + inferred.error).at(site.span));
    return {};
  }
  const auto values = build_at(cx, site.span).apply_many(name, *operands, std::move(attrs));
  if (values.size() > 1) {
    Val::Values several;
    for (ValueId id : values) several.push_back({id});
    return {several};
  }
  return {reduces(form) && site.to ? build_at(cx, site.span).broadcast(values[0], *site.to)
                                   : values[0]};
}

std::vector<Builtin> operation_calls() {
  std::vector<Builtin> rows;
  for (const ops::OpDef* def : ops::all_ops())
    if (def->call) rows.push_back({def->name, *def->call, call_operation});
  return rows;
}

}  // namespace mtfc::elab
