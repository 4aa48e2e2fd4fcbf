// Calls of products, reductions, softmax and cross entropy.
#include "frontend/elaborate/elaborator.h"

namespace mtfc::elab {

Val Elaborator::call_einsum(const CallSite& site) {
  if (!site.over && !site.to) {
    report(
        diag(DiagKind::wrong_list, "`einsum` needs to know what is summed")
            .at(site.call->callee.span)
            .help("`einsum(a, b over d)` sums over `d`; `einsum(a, b -> x, y)` keeps `x` and `y`"));
    return {};
  }
  for (const Operand& o : site.args)
    if (!is_numeric(o, "`einsum`")) return {};
  const auto ids = unify(site.args);
  if (!ids) return {};
  Dims all;
  for (ValueId id : *ids) all = union_of(all, build_.type(id).dims);
  if (site.over) {
    for (DimId dim : *site.over) {
      if (contains(all, dim)) continue;
      Diagnostic d = diag(DiagKind::missing_dimension,
                          "no operand of `einsum` has `" + names({dim}) + "` to sum over")
                         .at(site.call->over->span, "needed here");
      for (const Operand& o : site.args) d.notes.push_back(is_dims(o));
      for (const Operand& o : site.args) note_equal_sizes(d, o, dim);
      report(std::move(d));
      return {};
    }
  }
  const auto rest = remaining(site, all);
  if (!rest || !check_size(*rest, site.span)) return {};
  return {at(site.span).einsum_to(*ids, *rest)};
}

Val Elaborator::reduce(const CallSite& site, Combine kind, ValueId x) {
  const Dims all = build_.type(x).dims;
  const auto reduced = reduced_dims(site, all);
  if (!reduced) return {};
  const Dims to = site.to ? *site.to : without(all, *reduced);
  return {at(site.span).reduce_to(kind, x, to)};
}

Val Elaborator::call_sum(const CallSite& site) {
  const auto x = as_tensor(site.args[0]);
  return x ? reduce(site, Combine::sum, widened(*x, site.args[0].span)) : Val{};
}

Val Elaborator::call_any_all(const CallSite& site) {
  const Operand& o = site.args[0];
  const std::string& name = site.call->callee.text;
  const auto x = as_tensor(o);
  if (!x) return {};
  if (build_.type(*x).dtype == DType::boolean)
    return reduce(site, name == "any" ? Combine::max : Combine::min, *x);
  report(diag(DiagKind::type_mismatch, "`" + name + "` takes bools")
             .at(o.span, show(o.val))
             .help("compare it: `" + std::string(session_.sources.text(o.span)) + " != 0`"));
  return {};
}

Val Elaborator::call_mean(const CallSite& site) {
  const Operand& o = site.args[0];
  auto x = as_tensor(o);
  if (!x) return {};
  if (build_.type(*x).dtype == DType::boolean) x = at(o.span).cast(*x, machine(DType::f32));
  if (!is_float(build_.type(*x).dtype)) x = as_float(o, "`mean`");
  if (!x) return {};
  x = widened(*x, o.span);
  std::optional<ValueId> weight;
  if (const Operand* w = site.find("weight")) {
    weight = as_tensor(*w);
    if (!weight) return {};
    if (depends_on_parameters(*weight)) {
      report(
          diag(DiagKind::weight_depends_on_parameters, "the weight of `mean` depends on parameters")
              .at(w->span)
              .help("write `stop_gradient(...)` of values that are not parameters, or `sum(e * w) "
                    "/ sum(w)`"));
      return {};
    }
    if (build_.type(*weight).dtype == DType::i32) weight = as_float(*w, "a weight");
    if (!weight) return {};
    const Dims all = union_of(build_.type(*x).dims, build_.type(*weight).dims);
    if (!is_subset(all, build_.type(*x).dims)) x = at(o.span).broadcast(*x, all);
    if (build_.type(*weight).dtype != DType::boolean)
      weight = at(w->span).cast(*weight, build_.type(*x).dtype);
  }
  const Dims all = build_.type(*x).dims;
  const auto reduced = reduced_dims(site, all);
  if (!reduced) return {};
  const bool everything = reduced->size() == all.size();
  ValueId result = at(site.span).mean(*x, *reduced, weight, now_.pooled && everything);
  if (site.to) result = at(site.span).broadcast(result, *site.to);
  return {result};
}

/// min and max: of several values elementwise, of one tensor a reduction.
Val Elaborator::call_extremum(const CallSite& site) {
  const bool largest = site.call->callee.text == "max";
  for (const Operand& o : site.args)
    if (!is_numeric(o, "`" + site.call->callee.text + "`")) return {};
  if (site.args.size() > 1) return extremum_of_several(site, largest);
  if (site.args[0].val.number() && !site.over && !site.to) return site.args[0].val;
  const auto x = as_tensor(site.args[0]);
  return x ? reduce(site, largest ? Combine::max : Combine::min, *x) : Val{};
}

Val Elaborator::extremum_of_several(const CallSite& site, bool largest) {
  if (site.over || site.to) {
    report(diag(DiagKind::wrong_list, "`" + site.call->callee.text +
                                          "` of several values is elementwise and takes no list")
               .at(site.call->over ? site.call->over->span : site.call->to->span));
    return {};
  }
  bool all_static = true;
  for (const Operand& o : site.args) all_static = all_static && o.val.number();
  if (all_static) {
    Number best = *site.args[0].val.number();
    for (const Operand& o : site.args) {
      const Number& n = *o.val.number();
      if (largest ? n.value() > best.value() : n.value() < best.value()) best = n;
    }
    return {best};
  }
  const auto ids = unify(site.args);
  if (!ids) return {};
  Operand left{{(*ids)[0]}, site.args[0].span};
  for (std::size_t i = 1; i < ids->size(); ++i) {
    const Operand right{{(*ids)[i]}, site.args[i].span};
    warn_union(site.call->callee.text, site.call->callee.span, left, right);
    left.val = {at(site.span).binary(largest ? "max" : "min", *left.val.tensor(), (*ids)[i])};
  }
  return left.val;
}

Val Elaborator::call_argmax(const CallSite& site) {
  const Operand& o = site.args[0];
  if (!is_numeric(o, "`argmax`")) return {};
  const auto x = as_tensor(o);
  if (!x || !require_dims(o, *site.over, *site.call->over, "take `argmax` over")) return {};
  if (site.over->size() != 1) {
    report(diag(DiagKind::wrong_list,
                "`argmax` takes one dimension, not " + std::to_string(site.over->size()))
               .at(site.call->over->span)
               .help("merge them first: `x[(a, b) -> c]`"));
    return {};
  }
  return {at(site.span).argmax(*x, *site.over)};
}

Val Elaborator::call_softmax(const CallSite& site) {
  const std::string& name = site.call->callee.text;
  const Operand& o = site.args[0];
  const auto x = as_float(o, "`" + name + "`");
  if (!x) return {};
  if (name == "logsumexp") {
    const auto reduced = reduced_dims(site, build_.type(*x).dims);
    if (!reduced) return {};
    const ValueId result = at(site.span).logsumexp(*x, *reduced);
    return {site.to ? at(site.span).broadcast(result, *site.to) : result};
  }
  if (!require_dims(o, *site.over, *site.call->over, "take " + name + " over")) return {};
  return {name == "softmax" ? at(site.span).softmax(*x, *site.over)
                            : at(site.span).log_softmax(*x, *site.over)};
}

Val Elaborator::call_cross_entropy(const CallSite& site) {
  const Operand &logits = site.args[0], &target = site.args[1];
  const auto x = as_float(logits, "`cross_entropy`");
  auto t = as_tensor(target);
  const auto smoothing = number_argument(site, "smoothing", 0);
  const auto z_loss = number_argument(site, "z_loss", 0);
  if (!x || !t || !smoothing || !z_loss) return {};
  if (!require_dims(logits, *site.over, *site.call->over, "take cross entropy over")) return {};
  if (site.over->size() != 1) {
    report(diag(DiagKind::wrong_list, "`cross_entropy` takes one dimension of classes")
               .at(site.call->over->span));
    return {};
  }
  const DimId v = (*site.over)[0];
  const DType dtype = build_.type(*t).dtype;
  const bool has_v = contains(build_.type(*t).dims, v);
  if (dtype == DType::boolean || has_v != is_float(dtype)) {
    const bool is_int = dtype == DType::i32;
    report(diag(is_int || is_float(dtype) ? DiagKind::missing_dimension : DiagKind::type_mismatch,
                "the target of `cross_entropy` is neither int without `" + names({v}) +
                    "` nor float with it")
               .at(target.span, show(target.val))
               .note("int targets are classes, one for each position; float targets are "
                     "distributions over `" +
                     names({v}) + "`"));
    return {};
  }
  if (has_v) t = at(target.span).cast(*t, build_.type(*x).dtype);
  return {at(site.span).cross_entropy(*x, *t, v, *smoothing, *z_loss)};
}

}  // namespace mtfc::elab
