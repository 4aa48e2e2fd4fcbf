// Calls of what runs along one dimension: running sums, ranks, shifts, padding.
#include <cmath>

#include "frontend/elaborate/elaborator.h"

namespace mtfc::elab {

namespace {

bool check_one(const CallSite& site, std::string& error) {
  const std::string name = "`" + site.call->callee.text + "`";
  if (site.over->size() != 1)
    error = name + " takes one dimension, not " + std::to_string(site.over->size());
  else if (site.to && site.to->size() != 1)
    error = name + " makes one dimension, not " + std::to_string(site.to->size());
  return error.empty();
}

}  // namespace

/// The first argument as a tensor that has the one dimension of `over`.
std::optional<ValueId> Elaborator::along_one(const CallSite& site) {
  const Operand& o = site.args[0];
  std::string error;
  if (!check_one(site, error)) {
    report(diag(DiagKind::wrong_list, error)
               .at(site.over->size() != 1 ? site.call->over->span : site.call->to->span)
               .help("merge dimensions first: `x[(a, b) -> c]`"));
    return std::nullopt;
  }
  const auto x = as_tensor(o);
  const std::string to_do = "take `" + site.call->callee.text + "` over";
  if (!x || !require_dims(o, *site.over, *site.call->over, to_do)) return std::nullopt;
  const DimId fresh = site.to ? (*site.to)[0] : (*site.over)[0];
  if (contains(without(build_.type(*x).dims, *site.over), fresh)) {
    report(diag(DiagKind::repeated_dimension, "`" + site.call->callee.text + "` would give " +
                                                  code(o.span) + " a second dimension `" +
                                                  names({fresh}) + "`")
               .at(site.call->to->span)
               .note(is_dims(o)));
    return std::nullopt;
  }
  return x;
}

std::optional<bool> Elaborator::flag_argument(const CallSite& site, const std::string& name) {
  const Operand* given = site.find(name);
  if (!given) return false;
  if (const bool* flag = given->val.boolean()) return *flag;
  report(diag(DiagKind::type_mismatch, "`" + name + "` is true or false, known before the run")
             .at(given->span, show(given->val)));
  return std::nullopt;
}

std::optional<std::int64_t> Elaborator::whole_argument(const Operand& operand,
                                                       const std::string& what) {
  const Number* number = operand.val.number();
  if (!number) {
    not_static(operand.val, operand.span, what);
    return std::nullopt;
  }
  const auto whole = number->as_integer();
  if (whole && *whole >= -2147483647 && *whole <= 2147483647) return whole;
  report(diag(DiagKind::out_of_range,
              what + " must be whole and fit 32 bits, not " + to_string(*number))
             .at(operand.span));
  return std::nullopt;
}

Val Elaborator::call_cumsum(const CallSite& site) {
  auto x = along_one(site);
  const auto exclusive = flag_argument(site, "exclusive"), reverse = flag_argument(site, "reverse");
  if (!x || !exclusive || !reverse) return {};
  if (build_.type(*x).dtype == DType::boolean) x = at(site.args[0].span).cast(*x, DType::i32);
  x = widened(*x, site.args[0].span);
  return {at(site.span).cumsum(*x, (*site.over)[0], *exclusive, *reverse)};
}

/// The values in descending order, and their places.
Val Elaborator::call_top_k(const CallSite& site) {
  if (!is_numeric(site.args[0], "`top_k`")) return {};
  const auto x = along_one(site);
  if (!x) return {};
  const DimId dim = (*site.over)[0], ranks = (*site.to)[0];
  const std::int64_t size = session_.model.dims.size(dim), k = session_.model.dims.size(ranks);
  if (k > size) {
    report(diag(DiagKind::out_of_range, "`top_k` cannot take " + std::to_string(k) + " of " +
                                            counted(static_cast<double>(size), "element"))
               .at(site.call->to->span, "`" + names({ranks}) + "` is " + std::to_string(k))
               .also(site.call->over->span, "`" + names({dim}) + "` is " + std::to_string(size)));
    return {};
  }
  const ValueId places = at(site.span).top_places(*x, dim, ranks);
  const ValueId values = at(site.span).gather(*x, {dim}, {places}, 0);
  return {Val::Values{{values}, {places}}};
}

/// nth_largest(x, n over d), nth_smallest: n counts from 0.
Val Elaborator::call_nth(const CallSite& site) {
  const std::string& name = site.call->callee.text;
  if (!is_numeric(site.args[0], "`" + name + "`")) return {};
  const auto x = along_one(site);
  const auto n = whole_argument(site.args[1], "the rank");
  if (!x || !n) return {};
  const DimId dim = (*site.over)[0];
  const std::int64_t size = session_.model.dims.size(dim);
  if (*n < 0 || *n >= size) {
    report(diag(DiagKind::out_of_range,
                std::to_string(*n) + " is not a rank of `" + names({dim}) + "`")
               .at(site.args[1].span, "the ranks are 0 to " + std::to_string(size - 1)));
    return {};
  }
  Dim ranks;
  ranks.formula = "1";
  ranks.declared = ranks.size_span = site.args[1].span;
  const DimId top = session_.dim(now_.scope->dim_path, "rank", 1, std::move(ranks));
  ValueId key = *x;
  if (name == "nth_smallest" && is_float(build_.type(key).dtype))
    key = at(site.span).unary("neg", key);
  if (name == "nth_smallest" && !is_float(build_.type(*x).dtype))  // -1 - x does not overflow
    key = at(site.span).binary("sub", build_.constant(-1, DType::i32), key);
  const ValueId places = at(site.span).top_places(key, dim, top, *n);
  const ValueId only = build_.constant(0, DType::i32);
  const ValueId place = at(site.span).gather(places, {top}, {only}, 0);
  return {at(site.span).gather(*x, {dim}, {place}, 0)};
}

/// y[i] = x[i - n]; what comes from outside is 0, or with `wrap` what left on the other side.
Val Elaborator::call_shift(const CallSite& site) {
  const auto x = along_one(site);
  const auto n = whole_argument(site.args[1], "the distance of a shift");
  const auto wrap = flag_argument(site, "wrap");
  if (!x || !n || !wrap) return {};
  const DimId dim = (*site.over)[0];
  const std::int64_t size = session_.model.dims.size(dim);
  const auto moved = [&](std::int64_t by) {
    return at(site.span).window(*x, {{dim, {-by, {{dim, 1}}}}}, 0);
  };
  if (!*wrap) return {moved(*n)};
  const std::int64_t by = (*n % size + size) % size;
  if (by == 0) return {*x};
  const ValueId stays = build_.binary("ge", at(site.span).index(dim),
                                      build_.constant(static_cast<double>(by), DType::i32));
  return {at(site.span).where(stays, moved(by), moved(by - size))};
}

/// pad(x, before=0, value=0 over a -> b): x in the longer b.
Val Elaborator::call_pad(const CallSite& site) {
  const auto x = along_one(site);
  const Operand* given = site.find("before");
  const auto before = given ? whole_argument(*given, "`before`") : std::int64_t{0};
  if (!x || !before) return {};
  double value = 0;
  if (const Operand* fill = site.find("value")) {
    const auto constant = constant_operand(*fill, build_.type(*x).dtype, "`value`");
    if (!constant) return {};
    value = *constant;
  }
  const DimId dim = (*site.over)[0], fresh = (*site.to)[0];
  const std::int64_t size = session_.model.dims.size(dim), room = session_.model.dims.size(fresh);
  if (*before < 0 || *before > room - size) {
    report(diag(DiagKind::sizes_differ, "`" + names({fresh}) + "` = " + std::to_string(room) +
                                            " does not hold " + std::to_string(*before) + " + `" +
                                            names({dim}) + "` = " + std::to_string(*before + size))
               .at(site.call->to->span));
    return {};
  }
  return {at(site.span).window(*x, {{dim, {-*before, {{fresh, 1}}}}}, value)};
}

}  // namespace mtfc::elab
