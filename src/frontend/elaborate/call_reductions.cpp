// Calls of products and reductions.
#include "frontend/elaborate/builtins.h"
#include "frontend/elaborate/dim_lists.h"
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/values.h"
#include "frontend/elaborate/warn_products.h"

namespace mtfc::elab {

namespace {

Val call_einsum(Context& cx, const CallSite& site) {
  if (!site.over && !site.to) {
    report(
        cx,
        diag(DiagKind::wrong_list, "`einsum` needs to know what is summed")
            .at(site.call->callee.span)
            .help("`einsum(a, b over d)` sums over `d`; `einsum(a, b -> x, y)` keeps `x` and `y`"));
    return {};
  }
  for (const Operand& o : site.args)
    if (!is_numeric(cx, o, "`einsum`")) return {};
  const auto ids = unify(cx, site.args);
  if (!ids) return {};
  Dims all;
  for (ValueId id : *ids) all = union_of(all, cx.build.type(id).dims);
  if (site.over) {
    for (DimId dim : *site.over) {
      if (contains(all, dim)) continue;
      Diagnostic d = diag(DiagKind::missing_dimension,
                          "no operand of `einsum` has `" + dim_names(cx, {dim}) + "` to sum over")
                         .at(site.call->over->span, "needed here");
      for (const Operand& o : site.args) d.notes.push_back(is_dims(cx, o));
      for (const Operand& o : site.args) note_equal_sizes(cx, d, o, dim);
      report(cx, std::move(d));
      return {};
    }
  }
  const auto rest = remaining(cx, site, all);
  if (!rest || !check_size(cx, *rest, site.span)) return {};
  warn_private_sum(cx, site, *ids, *rest);
  return {build_at(cx, site.span).einsum_to(*ids, *rest)};
}

Val reduce_operand(Context& cx, const CallSite& site, Combine kind, ValueId x) {
  const Dims all = cx.build.type(x).dims;
  const auto reduced = reduced_dims(cx, site, all);
  if (!reduced) return {};
  const Dims to = site.to ? *site.to : without(all, *reduced);
  return {build_at(cx, site.span).reduce_to(kind, x, to)};
}

Val call_sum(Context& cx, const CallSite& site) {
  const auto x = as_tensor(cx, site.args[0]);
  return x ? reduce_operand(cx, site, Combine::sum, widened(cx, *x, site.args[0].span)) : Val{};
}

Val call_any_all(Context& cx, const CallSite& site) {
  const Operand& o = site.args[0];
  const std::string& name = site.call->callee.text;
  const auto x = as_tensor(cx, o);
  if (!x) return {};
  if (cx.build.type(*x).dtype == DType::boolean)
    return reduce_operand(cx, site, name == "any" ? Combine::max : Combine::min, *x);
  report(cx, diag(DiagKind::type_mismatch, "`" + name + "` takes bools")
                 .at(o.span, show(cx, o.val))
                 .help("compare it: `" + std::string(cx.session.sources.text(o.span)) + " != 0`"));
  return {};
}

/// What to write for a weight through which gradients are to go. As `mean` it gives 0 if all
/// weights are 0, and divides by means, which a weight that lacks dimensions of `e` has, too.
std::string without_weight(DType weight) {
  const bool flag = weight == DType::boolean;
  const std::string w = weight == DType::i32 ? "f32(w)" : "w";
  const std::string all = "mean(" + w + ")";
  const std::string weighted = flag ? "where(w, e, 0)" : "e * " + w;
  return "write `mean(" + weighted + ") / where(" + all + " == 0, 1, " + all + ")`" +
         (flag ? ", which leaves out what `w` is false for" : "");
}

Val call_mean(Context& cx, const CallSite& site) {
  const Operand& o = site.args[0];
  auto x = as_tensor(cx, o);
  if (!x) return {};
  if (cx.build.type(*x).dtype == DType::boolean)
    x = build_at(cx, o.span).cast(*x, computed_type(cx, DType::f32));
  if (!is_float(cx.build.type(*x).dtype)) x = as_float(cx, o, "`mean`");
  if (!x) return {};
  x = widened(cx, *x, o.span);
  std::optional<ValueId> weight;
  if (const Operand* w = site.find("weight")) {
    weight = as_tensor(cx, *w);
    if (!weight) return {};
    if (depends_on_parameters(cx, *weight)) {
      report(
          cx,
          diag(DiagKind::weight_depends_on_parameters, "the weight of `mean` depends on parameters")
              .at(w->span)
              .help("parameters may not reach it at all, not even through `stop_gradient` or a "
                    "comparison; " +
                    without_weight(cx.build.type(*weight).dtype)));
      return {};
    }
    if (cx.build.type(*weight).dtype == DType::i32) weight = as_float(cx, *w, "a weight");
    if (!weight) return {};
    const Dims all = union_of(cx.build.type(*x).dims, cx.build.type(*weight).dims);
    if (!is_subset(all, cx.build.type(*x).dims)) x = build_at(cx, o.span).broadcast(*x, all);
    if (cx.build.type(*weight).dtype != DType::boolean)
      weight = build_at(cx, w->span).cast(*weight, cx.build.type(*x).dtype);
  }
  const Dims all = cx.build.type(*x).dims;
  const auto reduced = reduced_dims(cx, site, all);
  if (!reduced) return {};
  ValueId result = build_at(cx, site.span).mean(*x, *reduced, weight);
  if (site.to) result = build_at(cx, site.span).broadcast(result, *site.to);
  return {result};
}

Val extremum_of_several(Context& cx, const CallSite& site, bool largest) {
  if (site.over || site.to) {
    report(cx,
           diag(DiagKind::wrong_list, "`" + site.call->callee.text +
                                          "` of several values is elementwise and takes no list")
               .at(site.call->over ? site.call->over->span : site.call->to->span));
    return {};
  }
  bool all_static = true;
  for (const Operand& o : site.args) all_static = all_static && o.val.number();
  if (all_static) {
    Number best = *site.args[0].val.number();
    bool quotient = false;
    for (const Operand& o : site.args) {
      const Number& n = *o.val.number();
      if (largest ? n.value() > best.value() : n.value() < best.value()) best = n;
      quotient = quotient || n.quotient;
    }
    best.quotient = quotient;
    return {best};
  }
  const auto ids = unify(cx, site.args);
  if (!ids) return {};
  Operand left{{(*ids)[0]}, site.args[0].span};
  for (std::size_t i = 1; i < ids->size(); ++i) {
    const Operand right{{(*ids)[i]}, site.args[i].span};
    warn_union(cx, site.call->callee.text, site.call->callee.span, left, right);
    left.val = {
        build_at(cx, site.span).binary(largest ? "max" : "min", *left.val.tensor(), (*ids)[i])};
  }
  return left.val;
}

/// min and max: of several values elementwise, of one tensor a reduction.
Val call_extremum(Context& cx, const CallSite& site) {
  const bool largest = site.call->callee.text == "max";
  for (const Operand& o : site.args)
    if (!is_numeric(cx, o, "`" + site.call->callee.text + "`")) return {};
  if (site.args.size() > 1) return extremum_of_several(cx, site, largest);
  if (site.args[0].val.number() && !site.over && !site.to) return site.args[0].val;
  const auto x = as_tensor(cx, site.args[0]);
  return x ? reduce_operand(cx, site, largest ? Combine::max : Combine::min, *x) : Val{};
}

Val call_argmax(Context& cx, const CallSite& site) {
  const Operand& o = site.args[0];
  if (!is_numeric(cx, o, "`argmax`")) return {};
  const auto x = as_tensor(cx, o);
  if (!x || !require_dims(cx, o, *site.over, *site.call->over, "take `argmax` over")) return {};
  if (site.over->size() != 1) {
    report(cx, diag(DiagKind::wrong_list,
                    "`argmax` takes one dimension, not " + std::to_string(site.over->size()))
                   .at(site.call->over->span)
                   .help("merge them first: `x[(a, b) -> c]`"));
    return {};
  }
  return {build_at(cx, site.span).argmax(*x, *site.over)};
}

}  // namespace

std::vector<Builtin> reduction_calls() {
  using L = CallForm::List;
  return {
      {"einsum", call_form(1, -1, L::optional, L::optional), call_einsum},
      {"sum", call_form(1, 1, L::optional, L::optional), call_sum},
      {"mean", call_form(1, 1, L::optional, L::optional, {{"weight", 1.0}}), call_mean},
      {"min", call_form(1, -1, L::optional, L::optional), call_extremum},
      {"max", call_form(1, -1, L::optional, L::optional), call_extremum},
      {"any", call_form(1, 1, L::optional, L::optional), call_any_all},
      {"all", call_form(1, 1, L::optional, L::optional), call_any_all},
      {"argmax", call_form(1, 1, L::required, L::none), call_argmax},
  };
}

}  // namespace mtfc::elab
