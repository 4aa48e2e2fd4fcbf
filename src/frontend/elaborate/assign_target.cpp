// `name[dims]: type = e`: the value as its left side declares it.
#include <algorithm>

#include "frontend/elaborate/dim_lists.h"
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/lost_results.h"
#include "frontend/elaborate/names.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/statements.h"
#include "frontend/elaborate/values.h"

namespace mtfc::elab {

namespace {

/// The one of `declared` of which the one of `missing` is the renamed form: batch of batch'.
DimId renamed_from(Context& cx, const Dims& missing, const Dims& declared) {
  if (missing.size() != 1) return {};
  for (DimId dim : declared)
    if (cx.dims()[missing[0]].name == cx.dims()[dim].name + "'") return dim;
  return {};
}

void dims_differ(Context& cx, const ast::Target& target, const Dims& declared,
                 const Operand& value) {
  const Dims& actual = dims_of(cx, value.val);
  const Dims missing = without(declared, actual), extra = without(actual, declared);
  Diagnostic d =
      diag(DiagKind::dimensions_differ, "result has other dimensions than declared")
          .at(value.span, "actual: " + (actual.empty() ? "no dimension" : dim_names(cx, actual)))
          .also(target.shape->span,
                "declared: " + (declared.empty() ? "no dimension" : dim_names(cx, declared)));
  if (!missing.empty()) d.notes.push_back("missing `" + dim_names(cx, missing) + "`");
  if (!extra.empty()) d.notes.push_back("extra `" + dim_names(cx, extra) + "`");
  bool summed = false, lists = false, made = false;
  for (const ast::Expr& e : cx.now.file->exprs) {
    const auto* call = std::get_if<ast::Call>(&e.node);
    if (!call || !(e.span == value.span) || !call->over) continue;
    lists = true;
    // A block's result has the dimensions behind `->`.
    made = call->to && std::any_of(extra.begin(), extra.end(), [&](DimId dim) {
             return std::any_of(
                 call->to->items.begin(), call->to->items.end(),
                 [&](const auto& item) { return item.name.text == cx.dims()[dim].name; });
           });
    for (const ast::DimItem& item : call->over->items)
      for (DimId dim : missing)
        if (cx.dims()[dim].name == item.name.text) {
          d.notes.push_back("`" + item.name.text + "` is summed away by `over " + item.name.text +
                            "`");
          summed = true;
        }
  }
  if (made)
    d.helps.push_back("declare what the call makes: `" + target.name.text + show(cx, actual) + "`");
  else if (summed && !extra.empty())
    d.helps.push_back("sum over the other one: `over " + dim_names(cx, extra) + "`");
  else if (lists && missing.empty())
    d.helps.push_back("`" + dim_names(cx, extra) + "` is not summed: write `over " +
                      dim_names(cx, extra) + "`");
  else if (missing.empty())
    d.helps.push_back("reduce it, as in `sum(... over " + dim_names(cx, extra) +
                      ")`, or declare it: `" + target.name.text + show(cx, actual) + "`");
  else if (extra.empty()) {
    if (const DimId base = renamed_from(cx, missing, declared); base.valid())
      d.helps.push_back("to have `" + cx.dims()[base].name +
                        "` twice, rename it in one of the operands: `x[" + cx.dims()[base].name +
                        " -> " + dim_names(cx, missing) + "]`");
    d.helps.push_back("to repeat it along `" + dim_names(cx, missing) +
                      "` write `broadcast(... -> " + dim_names(cx, declared) + ")`");
  }
  report(cx, std::move(d));
}

/// A number that yields becomes half somewhere: not more than that holds.
Operand within_half(Context& cx, const Operand& value) {
  const Number* number = value.val.number();
  if (!number || !mixed_precision(cx)) return value;
  const auto held = constant_of(cx, *number, cx.session.activation, value.span);
  return held ? Operand{{Number::of(*held)}, value.span} : value;
}

/// The value as its left side declares it: exactly these dimensions and this type.
std::optional<Val> conform(Context& cx, const ast::Target& target, const Dims* dims,
                           const Operand& given) {
  if (!dims && !target.dtype) return given.val;
  const auto dtype = declared_type(cx, target.dtype);
  if (target.dtype && !dtype) return std::nullopt;
  const Operand value = dtype ? as_written(cx, given, *dtype) : given;
  if (value.val.is_static() && !value.val.text()) {
    // A number fills the declared shape; without a type it is a float, and yields to half ones.
    const DType filled = dtype                 ? *dtype
                         : value.val.boolean() ? DType::boolean
                                               : computed_type(cx, DType::f32);
    const Operand number = dtype ? value : within_half(cx, value);
    const auto id = as_tensor(cx, number, filled);
    if (!id) return std::nullopt;
    if (dtype) cx.written.insert(*id);
    return Val{dims ? build_at(cx, value.span).broadcast(*id, *dims) : *id};
  }
  if (!value.val.tensor()) {
    report(cx, diag(DiagKind::type_mismatch,
                    quoted_source(cx, value.span) + " is " + show(cx, value.val) + ", not a tensor")
                   .at(value.span));
    return std::nullopt;
  }
  if (dtype && type_of(cx, value).dtype != *dtype) {
    report(cx, diag(DiagKind::type_mismatch, "`" + target.name.text + "` is declared " +
                                                 std::string(name(*dtype)) + " and gets " +
                                                 std::string(name(type_of(cx, value).dtype)))
                   .at(value.span, show(cx, value.val))
                   .also(target.dtype->span, "declared here")
                   .help("cast it: `" + std::string(name(*dtype)) + "(...)`"));
    return std::nullopt;
  }
  if (!dims || dims_of(cx, value.val) == *dims) return value.val;
  if (!same_set(dims_of(cx, value.val), *dims)) {
    dims_differ(cx, target, *dims, value);
    return std::nullopt;
  }
  const ValueId ordered = build_at(cx, value.span).broadcast(*value.val.tensor(), *dims);
  return Val{ordered};
}

void bind_target(Context& cx, const ast::Target& target, const Operand& value) {
  std::optional<Dims> dims;
  bool fine = true;
  if (target.shape) {
    dims = declared_shape(cx, *target.shape, target.name.text);
    fine = dims.has_value();
  }
  if (value.val.values()) {
    report(cx, diag(DiagKind::wrong_result,
                    std::to_string(value.val.values()->size()) + " values for one name")
                   .at(value.span)
                   .help("take all of them: `a, b = ...`"));
    fine = false;
  }
  std::optional<Val> val;
  if (fine && !value.val.poison()) val = conform(cx, target, dims ? &*dims : nullptr, value);
  assign_name(cx, target.name, val ? *val : Val{});
}

}  // namespace

void exec_assign(Context& cx, const ast::Assign& assign) {
  Dims declared;
  const Cursor before = cx.now;
  const bool lists = assign.targets.size() == 1 && assign.targets[0].shape;
  if (lists) {
    // For the warning about unions only: mistakes in the list are reported when it is bound.
    for (const ast::DimItem& item : assign.targets[0].shape->items) {
      const Binding* b = item.kind != ast::DimItem::Kind::ellipsis && item.minus.empty()
                             ? find_binding(cx, item.name.text, item.span)
                             : nullptr;
      Dims dims;
      if (b && b->kind == Binding::Kind::dim) dims = b->dims;
      if (b && item.kind == ast::DimItem::Kind::dims_of) dims = dims_of(cx, b->val);
      if (!b && item.name.text.ends_with('\'')) {  // an alias
        const std::string of = item.name.text.substr(0, item.name.text.size() - 1);
        const Binding* base = find_binding(cx, of, item.span);
        if (base && base->kind == Binding::Kind::dim && base->dims.size() == 1)
          dims = {cx.session.alias(base->dims[0])};
      }
      declared.insert(declared.end(), dims.begin(), dims.end());
    }
    cx.now.declared = &declared;
  }
  const Operand value = eval_operand(cx, assign.value);
  cx.now = before;
  if (assign.targets.size() == 1) {
    bind_target(cx, assign.targets[0], value);
    return;
  }
  const Val::Values* values = value.val.values();
  if (!value.val.poison() && (!values || values->size() != assign.targets.size())) {
    report(cx, diag(DiagKind::wrong_result,
                    std::to_string(assign.targets.size()) + " names for " +
                        (values ? std::to_string(values->size()) + " values" : "one value"))
                   .at(value.span)
                   .also(assign.targets[0].name.span, "assigned to these"));
    values = nullptr;
  }
  for (std::size_t i = 0; i < assign.targets.size(); ++i) {
    const Val val = values && !value.val.poison() ? (*values)[i] : Val{};
    note_result(cx, assign.targets[i].name, val, value.span);
    bind_target(cx, assign.targets[i], {val, value.span});
  }
}

}  // namespace mtfc::elab
