#include "ops/affine.h"

#include <algorithm>
#include <cmath>

#include "ops/literals.h"
#include "ops/op.h"
#include "ops/slice.h"
#include "ops/view.h"

namespace mtfc::ops {

namespace {

using Form = std::optional<AffineForm>;

void widen(Range& range, double factor, double least, double most) {
  range.low += std::min(factor * least, factor * most);
  range.high += std::max(factor * least, factor * most);
}

double last_index(const DimTable& dims, DimId dim) {
  return static_cast<double>(dims.size(dim) - 1);
}

bool is_constant(const AffineForm& form) {
  return std::all_of(form.factors.begin(), form.factors.end(),
                     [](const auto& term) { return term.second == 0; });
}

bool is_whole(const AffineForm& form) {
  const auto whole = [](double x) { return x == std::floor(x); };
  return whole(form.constant) && std::all_of(form.factors.begin(), form.factors.end(),
                                             [&](const auto& term) { return whole(term.second); });
}

AffineForm scaled(const AffineForm& form, double by) { return AffineForm{}.plus(form, by); }

}  // namespace

double AffineForm::factor(DimId dim) const {
  const auto it = factors.find(dim);
  return it == factors.end() ? 0 : it->second;
}

AffineForm AffineForm::plus(const AffineForm& other, double times) const {
  AffineForm sum = *this;
  sum.constant += times * other.constant;
  for (const auto& [dim, factor] : other.factors) sum.factors[dim] += times * factor;
  sum.exact = exact && other.exact;
  return sum;
}

Range range_of(const AffineForm& form, const DimTable& dims) {
  Range range{form.constant, form.constant};
  for (const auto& [dim, factor] : form.factors) widen(range, factor, 0, last_index(dims, dim));
  return range;
}

Range range_ahead(const AffineForm& form, const DimTable& dims, DimId earlier, DimId later) {
  // index(later) = index(earlier) + distance, and the distance is at least 1.
  Range range{form.constant, form.constant};
  const double n = last_index(dims, earlier);
  widen(range, form.factor(earlier) + form.factor(later), 0, std::max(n - 1, 0.0));
  widen(range, form.factor(later), 1, std::max(n, 1.0));
  for (const auto& [dim, factor] : form.factors)
    if (dim != earlier && dim != later) widen(range, factor, 0, last_index(dims, dim));
  return range;
}

const AffineForm* AffineValues::find(ValueId value) {
  while (forms_.size() <= value.at()) {
    const Value& v = graph_.at(next_id<ValueId>(forms_));
    Form made;
    if (v.type.dtype != DType::boolean && v.producer.valid()) made = form(graph_.at(v.producer));
    if (made && v.type.dtype == DType::i32 && !fits(*made)) made.reset();
    if (made && v.type.dtype != DType::i32) made->exact = false;
    forms_.push_back(std::move(made));
  }
  const Form& found = forms_[value.at()];
  return found ? &*found : nullptr;
}

std::optional<Affine> AffineValues::find_index(ValueId value) {
  const AffineForm* form = find(value);
  if (!form || !form->exact) return std::nullopt;
  Affine index{static_cast<std::int64_t>(form->constant), {}};
  for (DimId dim : graph_.at(value).type.dims)
    index.terms.push_back({dim, static_cast<std::int64_t>(form->factor(dim))});
  return index;
}

/// Operands stand before their operation, so their forms are known.
const AffineForm* AffineValues::operand(const Operation& op, std::size_t i) const {
  const Form& form = forms_[op.operands[i].at()];
  return form ? &*form : nullptr;
}

Form AffineValues::form(const Operation& op) const {
  if (const double* constant = constant_value(op)) return AffineForm{*constant, {}};
  if (const DimId dim = index_dim(op); dim.valid()) return AffineForm{0, {{dim, 1}}};
  const OpDef& def = op_of(op);
  if (def.scalar) return of_scalar(op, *def.scalar);
  if (def.kind != Kind::copy || !operand(op, 0)) return std::nullopt;
  AffineForm x = *operand(op, 0);
  if (const auto* groups = view_groups(op)) return of_view(std::move(x), *groups);
  if (const auto range = sliced_range(op)) {
    const double factor = x.factor(range->dim);
    x.factors.erase(range->dim);
    x.factors[range->fresh] = factor;
    x.constant += factor * static_cast<double>(range->begin);
  }
  return x;
}

/// Numbers of an int's form are below 2^31, so that products of them are exact.
Form AffineValues::of_scalar(const Operation& op, ScalarOp scalar) const {
  const AffineForm* a = operand(op, 0);
  const AffineForm* b = op.operands.size() > 1 ? operand(op, 1) : a;
  if (!a || !b) return std::nullopt;
  switch (scalar) {
    case ScalarOp::add:
      return a->plus(*b, 1);
    case ScalarOp::sub:
      return a->plus(*b, -1);
    case ScalarOp::neg:
      return scaled(*a, -1);
    case ScalarOp::mul: {
      if (!is_constant(*a)) std::swap(a, b);
      if (!is_constant(*a)) return std::nullopt;
      Form product = scaled(*b, a->constant);
      product->exact = a->exact && b->exact;
      return product;
    }
    case ScalarOp::cast:  // to int it truncates
      return is_float(graph_.at(op.results[0]).type.dtype) || is_whole(*a) ? Form(*a)
                                                                           : std::nullopt;
    default:
      return std::nullopt;
  }
}

/// Renames and splits; a merge has a form if the parts' factors fit together.
Form AffineValues::of_view(AffineForm form, const std::vector<DimGroup>& groups) const {
  std::map<DimId, double> fresh;
  for (const DimGroup& group : groups) {
    const double minor = form.factor(group.from.back());
    double inner = 1;
    for (std::size_t i = group.from.size(); i-- > 0;) {
      if (form.factor(group.from[i]) != minor * inner) return std::nullopt;
      inner *= static_cast<double>(dims_.size(group.from[i]));
    }
    double step = minor;
    for (std::size_t i = group.to.size(); i-- > 0;) {
      fresh[group.to[i]] = step;
      step *= static_cast<double>(dims_.size(group.to[i]));
    }
    for (DimId dim : group.from) form.factors.erase(dim);
  }
  for (const auto& [dim, factor] : fresh) form.factors[dim] += factor;
  return form;
}

bool AffineValues::fits(const AffineForm& form) const {
  constexpr double limit = 2147483647.0;
  for (const auto& [dim, factor] : form.factors)
    if (std::abs(factor) > limit) return false;
  const Range range = range_of(form, dims_);
  return range.low >= -limit && range.high <= limit;
}

}  // namespace mtfc::ops
