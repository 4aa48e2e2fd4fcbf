#include "ops/affine.h"

#include <algorithm>

namespace mtfc::ops {

namespace {

using Form = std::optional<Affine>;

std::int64_t& scale_of(Affine& form, DimId dim) {
  for (Affine::Term& term : form.terms)
    if (term.dim == dim) return term.scale;
  form.terms.push_back({dim, 0});
  return form.terms.back().scale;
}

bool is_constant(const Affine& form) {
  return std::all_of(form.terms.begin(), form.terms.end(),
                     [](const Affine::Term& term) { return term.scale == 0; });
}

/// a + factor * b. The numbers of a form that fits are below 2^31, so nothing overflows here.
Affine sum(Affine a, const Affine& b, std::int64_t factor) {
  a.begin += factor * b.begin;
  for (const Affine::Term& term : b.terms) scale_of(a, term.dim) += factor * term.scale;
  return a;
}

Affine renamed(const Affine& form, DimId from, DimId to) {
  Affine result = form;
  for (Affine::Term& term : result.terms)
    if (term.dim == from) term.dim = to;
  return result;
}

Affine in_order(const Affine& form, const DimList& dims) {
  Affine ordered{form.begin, {}};
  Affine given = form;
  for (DimId dim : dims) ordered.terms.push_back({dim, scale_of(given, dim)});
  return ordered;
}

}  // namespace

const Affine* AffineValues::find(ValueId value) {
  while (forms_.size() <= value.at()) {
    const ValueId next = next_id<ValueId>(forms_);
    const Value& v = graph_.at(next);
    Form made;
    if (v.type.dtype == DType::i32 && v.producer.valid()) made = form(graph_.at(v.producer), next);
    if (made && !fits(*made)) made.reset();
    forms_.push_back(made ? Form(in_order(*made, v.type.dims)) : std::nullopt);
  }
  const Form& found = forms_[value.at()];
  return found ? &*found : nullptr;
}

const Form& AffineValues::operand(const Operation& op, std::size_t i) const {
  return forms_[op.operands[i].at()];
}

/// Operands stand before their operation, so their forms are known.
Form AffineValues::form(const Operation& op, ValueId value) const {
  if (op.op == "index") return Affine{0, {{op.attrs.dims("dim")[0], 1}}};
  if (op.op == "constant") {
    Affine form{static_cast<std::int64_t>(op.attrs.number("value")), {}};
    for (DimId dim : graph_.at(value).type.dims) form.terms.push_back({dim, 0});
    return form;
  }
  if (op.op == "view") return of_view(op);
  if (op.op == "slice") return of_slice(op);
  const bool unary = op.op == "neg" || op.op == "broadcast";
  const bool binary = op.op == "add" || op.op == "sub" || op.op == "mul";
  if ((!unary && !binary) || !operand(op, 0) || (binary && !operand(op, 1))) return std::nullopt;
  const Affine &a = *operand(op, 0), &b = *operand(op, binary ? 1 : 0);
  if (op.op == "neg") return sum({}, a, -1);
  if (op.op == "add") return sum(a, b, 1);
  if (op.op == "sub") return sum(a, b, -1);
  if (op.op == "mul") {
    if (!is_constant(a) && !is_constant(b)) return std::nullopt;
    const bool first = is_constant(a);
    Affine form = sum({}, first ? b : a, first ? a.begin : b.begin);
    for (const Affine::Term& term : (first ? a : b).terms) scale_of(form, term.dim);
    return form;
  }
  Affine form = a;  // broadcast
  for (DimId dim : graph_.at(value).type.dims) scale_of(form, dim);
  return form;
}

/// Renames and splits; a merge has a form if the parts' scales fit together.
Form AffineValues::of_view(const Operation& op) const {
  if (!operand(op, 0)) return std::nullopt;
  Affine form = *operand(op, 0), result{form.begin, {}};
  for (const DimGroup& group : op.attrs.groups("groups")) {
    const std::int64_t minor = scale_of(form, group.from.back());
    std::int64_t inner = 1;
    for (std::size_t i = group.from.size(); i-- > 0;) {
      if (scale_of(form, group.from[i]) != minor * inner) return std::nullopt;
      inner *= dims_.size(group.from[i]);
    }
    for (std::size_t i = group.to.size(), step = 1; i-- > 0;) {
      scale_of(result, group.to[i]) = minor * static_cast<std::int64_t>(step);
      step *= static_cast<std::size_t>(dims_.size(group.to[i]));
    }
    for (DimId dim : group.from)
      std::erase_if(form.terms, [dim](const Affine::Term& term) { return term.dim == dim; });
  }
  for (const Affine::Term& term : form.terms) scale_of(result, term.dim) = term.scale;
  return result;
}

Form AffineValues::of_slice(const Operation& op) const {
  if (!operand(op, 0)) return std::nullopt;
  const DimId dim = op.attrs.dims("dim")[0];
  Affine form = *operand(op, 0);
  form.begin += scale_of(form, dim) * op.attrs.integer("begin");
  return renamed(form, dim, op.attrs.dims("fresh")[0]);
}

bool AffineValues::fits(const Affine& form) const {
  constexpr double limit = 2147483647.0;
  double low = static_cast<double>(form.begin), high = low;
  for (const Affine::Term& term : form.terms) {
    const double reach =
        static_cast<double>(term.scale) * static_cast<double>(dims_.size(term.dim) - 1);
    (reach < 0 ? low : high) += reach;
    if (std::abs(static_cast<double>(term.scale)) > limit) return false;
  }
  return low >= -limit && high <= limit;
}

}  // namespace mtfc::ops
