// Calls of elementwise operations, casts, where, broadcast, one_hot, index.
#include <cmath>

#include "frontend/elaborate/builtins.h"
#include "frontend/elaborate/elaborator.h"

namespace mtfc::elab {

Val Elaborator::call_elementwise(const CallSite& site) {
  const std::string& name = site.call->callee.text;
  const ElementwiseRow& row = *find_elementwise(name);
  const Operand& x = site.args[0];
  if (!is_numeric(x, "`" + name + "`")) return {};
  if (const Number* number = x.val.number(); number && row.statics) {
    const auto result = static_function(name, *number);
    if (result && std::isfinite(result->value())) return {*result};
    report(diag(DiagKind::no_result, "`" + name + "` of " + to_string(*number) + " is not a number")
               .at(site.span));
    return {};
  }
  if (row.ints && x.val.tensor()) return {at(site.span).unary(name, *x.val.tensor())};
  const auto id = as_float(x, "`" + name + "`");
  if (!id) return {};
  return {at(site.span).unary(name, *id)};
}

Val Elaborator::call_cast(const CallSite& site) {
  const DType dtype = machine(*dtype_named(site.call->callee.text));
  const Operand& x = site.args[0];
  if (const ValueId* id = x.val.tensor()) return {at(site.span).cast(*id, dtype)};
  if (const Number* number = x.val.number()) {
    if (dtype == DType::boolean) return {number->value() != 0};
    if (is_float(dtype)) return {Number::of(number->value())};
    const auto whole = Number::of(std::trunc(number->value())).as_integer();
    if (number->exact) return x.val;
    if (whole) return {Number::whole(*whole)};
  }
  if (const bool* flag = x.val.boolean()) {
    if (dtype == DType::boolean) return x.val;
    return {dtype == DType::i32 ? Number::whole(*flag) : Number::of(*flag)};
  }
  report(diag(DiagKind::type_mismatch, code(x.span) + " cannot become " + site.call->callee.text)
             .at(x.span, show(x.val)));
  return {};
}

Val Elaborator::call_where(const CallSite& site) {
  const Operand &condition = site.args[0], &a = site.args[1], &b = site.args[2];
  const bool is_bool = condition.val.boolean() ||
                       (condition.val.tensor() && type(condition).dtype == DType::boolean);
  if (!is_bool) {
    report(
        diag(DiagKind::type_mismatch, "the condition of `where` is not bool")
            .at(condition.span, show(condition.val))
            .help("compare it: `" + std::string(session_.sources.text(condition.span)) + " != 0`"));
    return {};
  }
  const bool* flag = condition.val.boolean();
  if (flag && a.val.is_static() && b.val.is_static()) return *flag ? a.val : b.val;
  const auto branches = unify({a, b});
  if (!branches) return {};
  if (flag) {  // a static condition chooses; the dimensions are those of both
    const Dims all = union_of(build_.type((*branches)[0]).dims, build_.type((*branches)[1]).dims);
    return {at(site.span).broadcast((*branches)[*flag ? 0 : 1], all)};
  }
  return {at(site.span).where(*condition.val.tensor(), (*branches)[0], (*branches)[1])};
}

Val Elaborator::call_stop_gradient(const CallSite& site) {
  const Operand& x = site.args[0];
  if (x.val.is_static()) return x.val;
  return {at(site.span).stop_gradient(*x.val.tensor())};
}

Val Elaborator::call_broadcast(const CallSite& site) {
  const auto x = as_tensor(site.args[0]);
  if (!x) return {};
  const Dims lost = without(build_.type(*x).dims, *site.to);
  if (!lost.empty()) {
    report(diag(DiagKind::missing_dimension,
                "`broadcast` would lose `" + names(lost) + "`, which it must keep")
               .at(site.call->to->span, "not listed: " + names(lost))
               .note(is_dims(site.args[0]))
               .help("to sum dimensions away write `sum(... over " + names(lost) + ")`"));
    return {};
  }
  if (!check_size(*site.to, site.call->to->span)) return {};
  return {at(site.span).broadcast(*x, *site.to)};
}

Val Elaborator::call_one_hot(const CallSite& site) {
  const Operand& x = site.args[0];
  const auto id = as_tensor(x);
  if (!id) return {};
  if (build_.type(*id).dtype != DType::i32) {
    report(diag(DiagKind::type_mismatch, "`one_hot` takes ints")
               .at(x.span, show(x.val))
               .help("write `int(...)`"));
    return {};
  }
  if (site.to->size() != 1) {
    report(diag(DiagKind::wrong_list, "`one_hot` makes one dimension").at(site.call->to->span));
    return {};
  }
  const DimId fresh = (*site.to)[0];
  if (contains(build_.type(*id).dims, fresh)) {
    report(diag(DiagKind::repeated_dimension, "`one_hot` would give " + code(x.span) +
                                                  " a second dimension `" + names({fresh}) + "`")
               .at(site.call->to->span)
               .note(is_dims(x)));
    return {};
  }
  return {at(site.span).one_hot(*id, fresh, session_.activation)};
}

Val Elaborator::call_index(const ast::Call& call, Span span) {
  const bool plain = call.args.size() == 1 && !call.args[0].name && !call.over && !call.to;
  const auto* ref = plain ? std::get_if<ast::NameRef>(&expr(call.args[0].value).node) : nullptr;
  if (!ref) {
    report(diag(DiagKind::wrong_arguments, "`index` takes the name of one dimension")
               .at(call.callee.span)
               .help("`index(length)` is 0, 1, 2, ... along `length`"));
    return {};
  }
  const auto dim = dim_named(ref->name);
  if (!dim) return {};
  return {at(span).index(*dim)};
}

}  // namespace mtfc::elab
