// Calls of what runs along one dimension: ranks, shifts, padding.
#include <cmath>

#include "frontend/elaborate/builtins.h"
#include "frontend/elaborate/dim_lists.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/values.h"
#include "ops/top_k.h"

namespace mtfc::elab {

namespace {

/// The values in descending order, and their indices.
Val call_top_k(Context& cx, const CallSite& site) {
  if (!is_numeric(cx, site.args[0], "`top_k`")) return {};
  const auto x = along_one(cx, site);
  if (!x) return {};
  const DimId dim = (*site.over)[0], best = (*site.to)[0];
  const std::int64_t size = cx.dims().size(dim), k = cx.dims().size(best);
  if (k > size) {
    report(cx,
           diag(DiagKind::out_of_range,
                "`top_k` cannot take " + std::to_string(k) + " of " + counted(size, "element"))
               .at(site.call->to->span, "`" + dim_names(cx, {best}) + "` is " + std::to_string(k))
               .also(site.call->over->span,
                     "`" + dim_names(cx, {dim}) + "` is " + std::to_string(size))
               .help("make `" + dim_names(cx, {best}) + "` " + std::to_string(size) +
                     " at most, or `" + dim_names(cx, {dim}) + "` larger"));
    return {};
  }
  const ValueId indices = ops::top_k(build_at(cx, site.span), *x, dim, best);
  const ValueId values = build_at(cx, site.span).gather(*x, {dim}, {indices}, 0);
  return {Val::Values{{values}, {indices}}};
}

/// nth_largest(x, n over d), nth_smallest: n counts from 0.
Val call_nth(Context& cx, const CallSite& site) {
  const std::string& name = site.call->callee.text;
  if (!is_numeric(cx, site.args[0], "`" + name + "`")) return {};
  const auto x = along_one(cx, site);
  const auto n = whole_argument(cx, site.args[1], "`n`");
  if (!x || !n) return {};
  const DimId dim = (*site.over)[0];
  const std::int64_t size = cx.dims().size(dim);
  if (*n < 0 || *n >= size) {
    report(cx, diag(DiagKind::out_of_range,
                    std::to_string(*n) + " is out of range along `" + dim_names(cx, {dim}) + "`")
                   .at(site.args[1].span, "`n` is from 0 to " + std::to_string(size - 1)));
    return {};
  }
  Dim order;
  order.formula = "1";
  order.declared = order.size_span = site.args[1].span;
  const DimId top = cx.session.dim(cx.now.scope->dim_path, "order", 1, std::move(order));
  ValueId key = *x;
  if (name == "nth_smallest" && is_float(cx.build.type(key).dtype))
    key = build_at(cx, site.span).unary("neg", key);
  if (name == "nth_smallest" && !is_float(cx.build.type(*x).dtype))  // -1 - x does not overflow
    key = build_at(cx, site.span).binary("sub", cx.build.constant(-1, DType::i32), key);
  const ValueId indices = ops::top_k(build_at(cx, site.span), key, dim, top, *n);
  const ValueId only = cx.build.constant(0, DType::i32);
  const ValueId index = build_at(cx, site.span).gather(indices, {top}, {only}, 0);
  return {build_at(cx, site.span).gather(*x, {dim}, {index}, 0)};
}

/// y[i] = x[i - n]; what comes from outside is 0, or with `wrap` what left on the other side.
Val call_shift(Context& cx, const CallSite& site) {
  const auto x = along_one(cx, site);
  const auto n = whole_argument(cx, site.args[1], "the distance of a shift");
  const auto wrap = flag_argument(cx, site, "wrap");
  if (!x || !n || !wrap) return {};
  const DimId dim = (*site.over)[0];
  const std::int64_t size = cx.dims().size(dim);
  const auto moved = [&](std::int64_t by) {
    return build_at(cx, site.span).window(*x, {{dim, {-by, {{dim, 1}}}}}, 0);
  };
  if (!*wrap) return {moved(*n)};
  const std::int64_t by = (*n % size + size) % size;
  if (by == 0) return {*x};
  ops::Builder& build = build_at(cx, site.span);
  const ValueId first = build.constant(static_cast<double>(by), DType::i32);
  const ValueId stays = build.binary("ge", build.index(dim), first);
  const ValueId wrapped = moved(by - size);
  return {build.where(stays, moved(by), wrapped)};
}

/// pad(x, before=0, value=0 over a -> b): x in the longer b.
Val call_pad(Context& cx, const CallSite& site) {
  const auto x = along_one(cx, site);
  const Operand* given = site.find("before");
  const auto before = given ? whole_argument(cx, *given, "`before`") : std::int64_t{0};
  if (!x || !before) return {};
  double value = 0;
  if (const Operand* fill = site.find("value")) {
    const auto constant = constant_operand(cx, *fill, cx.build.type(*x).dtype, "`value`");
    if (!constant) return {};
    value = *constant;
  }
  const DimId dim = (*site.over)[0], fresh = (*site.to)[0];
  if (*before < 0) {
    report(cx,
           diag(DiagKind::wrong_arguments, "`before` is 0 or more, not " + std::to_string(*before))
               .at(given->span));
    return {};
  }
  const std::int64_t size = cx.dims().size(dim), room = cx.dims().size(fresh);
  if (*before > room - size) {
    report(cx, diag(DiagKind::sizes_differ,
                    "`" + dim_names(cx, {fresh}) + "` = " + std::to_string(room) +
                        " does not hold " + std::to_string(*before) + " + `" +
                        dim_names(cx, {dim}) + "` = " + std::to_string(*before + size))
                   .at(site.call->to->span));
    return {};
  }
  return {build_at(cx, site.span).window(*x, {{dim, {-*before, {{fresh, 1}}}}}, value)};
}

}  // namespace

std::vector<Builtin> along_calls() {
  using L = CallForm::List;
  return {
      {"top_k", call_form(1, 1, L::required, L::required), call_top_k, "sort argsort topk"},
      {"nth_largest", call_form(2, 2, L::required, L::none), call_nth},
      {"nth_smallest", call_form(2, 2, L::required, L::none), call_nth},
      {"shift", call_form(2, 2, L::required, L::none, {{"wrap", false}}), call_shift},
      {"pad",
       call_form(1, 1, L::required, L::required, {{"before", std::int64_t{0}}, {"value", 0.0}}),
       call_pad},
  };
}

}  // namespace mtfc::elab
