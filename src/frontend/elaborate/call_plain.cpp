// Calls of casts, where, stop_gradient, broadcast, one_hot, index.
#include <cmath>

#include "frontend/elaborate/builtins.h"
#include "frontend/elaborate/dim_lists.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/values.h"

namespace mtfc::elab {

namespace {

Val call_cast(Context& cx, const CallSite& site) {
  const DType dtype = computed_type(cx, *dtype_named(site.call->callee.text));
  const Operand& x = site.args[0];
  if (const ValueId* id = x.val.tensor()) return {build_at(cx, site.span).cast(*id, dtype)};
  if (const Number* number = x.val.number()) {
    if (dtype == DType::boolean) return {number->value() != 0};
    if (is_float(dtype)) return {Number::of(number->value())};
    const auto whole = Number::of(std::trunc(number->value())).as_integer();
    if (number->exact) return {Number::whole(number->integer)};
    if (whole) return {Number::whole(*whole)};
  }
  if (const bool* flag = x.val.boolean()) {
    if (dtype == DType::boolean) return x.val;
    return {dtype == DType::i32 ? Number::whole(*flag) : Number::of(*flag)};
  }
  report(cx, diag(DiagKind::type_mismatch,
                  quoted_source(cx, x.span) + " cannot become " + site.call->callee.text)
                 .at(x.span, show(cx, x.val)));
  return {};
}

Val call_where(Context& cx, const CallSite& site) {
  const Operand &condition = site.args[0], &a = site.args[1], &b = site.args[2];
  const bool is_bool = condition.val.boolean() ||
                       (condition.val.tensor() && type_of(cx, condition).dtype == DType::boolean);
  if (!is_bool) {
    report(cx, diag(DiagKind::type_mismatch, "the condition of `where` is not bool")
                   .at(condition.span, show(cx, condition.val))
                   .help("compare it: `" + std::string(cx.session.sources.text(condition.span)) +
                         " != 0`"));
    return {};
  }
  const bool* flag = condition.val.boolean();
  if (flag && a.val.is_static() && b.val.is_static()) return *flag ? a.val : b.val;
  const auto branches = unify(cx, {a, b});
  if (!branches) return {};
  if (flag) {  // a static condition chooses; the dimensions are those of both
    const Dims all =
        union_of(cx.build.type((*branches)[0]).dims, cx.build.type((*branches)[1]).dims);
    return {build_at(cx, site.span).broadcast((*branches)[*flag ? 0 : 1], all)};
  }
  return {build_at(cx, site.span).where(*condition.val.tensor(), (*branches)[0], (*branches)[1])};
}

Val call_stop_gradient(Context& cx, const CallSite& site) {
  const Operand& x = site.args[0];
  if (x.val.is_static()) return x.val;
  return {build_at(cx, site.span).stop_gradient(*x.val.tensor())};
}

Val call_broadcast(Context& cx, const CallSite& site) {
  const auto x = as_tensor(cx, site.args[0]);
  if (!x) return {};
  const Dims lost = without(cx.build.type(*x).dims, *site.to);
  if (!lost.empty()) {
    report(cx,
           diag(DiagKind::missing_dimension,
                "`broadcast` would lose `" + dim_names(cx, lost) + "`, which it must keep")
               .at(site.call->to->span, "not listed: " + dim_names(cx, lost))
               .note(is_dims(cx, site.args[0]))
               .help("to sum dimensions away write `sum(... over " + dim_names(cx, lost) + ")`"));
    return {};
  }
  if (!check_size(cx, *site.to, site.call->to->span)) return {};
  return {build_at(cx, site.span).broadcast(*x, *site.to)};
}

Val call_one_hot(Context& cx, const CallSite& site) {
  const Operand& x = site.args[0];
  const auto id = as_tensor(cx, x);
  if (!id) return {};
  if (cx.build.type(*id).dtype != DType::i32) {
    report(cx, diag(DiagKind::type_mismatch, "`one_hot` takes ints")
                   .at(x.span, show(cx, x.val))
                   .help("write `int(...)`"));
    return {};
  }
  if (site.to->size() != 1) {
    report(cx, diag(DiagKind::wrong_list, "`one_hot` makes one dimension").at(site.call->to->span));
    return {};
  }
  const DimId fresh = (*site.to)[0];
  if (contains(cx.build.type(*id).dims, fresh)) {
    report(cx, diag(DiagKind::repeated_dimension,
                    "`one_hot` would give " + quoted_source(cx, x.span) + " a second dimension `" +
                        dim_names(cx, {fresh}) + "`")
                   .at(site.call->to->span)
                   .note(is_dims(cx, x)));
    return {};
  }
  return {build_at(cx, site.span).one_hot(*id, fresh, cx.session.activation)};
}

}  // namespace

Val call_index(Context& cx, const ast::Call& call, Span span) {
  const bool plain = call.args.size() == 1 && !call.args[0].name && !call.over && !call.to;
  const auto* ref = plain ? std::get_if<ast::NameRef>(&cx.expr(call.args[0].value).node) : nullptr;
  if (!ref) {
    report(cx, diag(DiagKind::wrong_arguments, "`index` takes the name of one dimension")
                   .at(call.callee.span)
                   .help("`index(length)` is 0, 1, 2, ... along `length`"));
    return {};
  }
  const auto dim = dim_named(cx, ref->name);
  if (!dim) return {};
  return {build_at(cx, span).index(*dim)};
}

std::vector<Builtin> plain_calls() {
  using L = CallForm::List;
  return {
      {"one_hot", call_form(1, 1, L::none, L::required), call_one_hot},
      {"broadcast", call_form(1, 1, L::none, L::required), call_broadcast},
      {"where", call_form(3, 3, L::none, L::none), call_where},
      {"stop_gradient", call_form(1, 1, L::none, L::none), call_stop_gradient},
      {"f64", call_form(1, 1, L::none, L::none), call_cast},
      {"f32", call_form(1, 1, L::none, L::none), call_cast},
      {"f16", call_form(1, 1, L::none, L::none), call_cast},
      {"bf16", call_form(1, 1, L::none, L::none), call_cast},
      {"int", call_form(1, 1, L::none, L::none), call_cast},
      {"bool", call_form(1, 1, L::none, L::none), call_cast},
  };
}

}  // namespace mtfc::elab
