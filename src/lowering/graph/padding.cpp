#include "lowering/graph/padding.h"

#include <cmath>
#include <limits>

#include "ops/op.h"

namespace mtfc::lowering {

namespace {

double representable(double value, DType dtype) {
  if (is_float(dtype) || std::isfinite(value)) return value;
  if (dtype == DType::boolean) return value > 0 ? 1 : 0;
  return value > 0 ? std::numeric_limits<std::int32_t>::max()
                   : std::numeric_limits<std::int32_t>::min();
}

}  // namespace

std::optional<double> value_in_padding(const Operation& op, const ops::Factors& factors,
                                       const ops::Factor& factor, std::size_t operand) {
  const ops::OpDef& def = ops::op_of(op);
  if (factor.role == ops::Role::reduced) {
    const bool counts = operand == 0 || def.kind != ops::Kind::scatter;  // others are indices
    return counts ? std::optional(neutral(factors.combine)) : std::nullopt;
  }
  if (factor.role == ops::Role::indexed) return op.attrs.number("fill", 0);
  if (factor.role != ops::Role::replicated || !def.padding) return std::nullopt;
  const ops::Padding padding = def.padding(op);
  return contains(padding.dims, factor.operands[operand]) ? std::optional(padding.value)
                                                          : std::nullopt;
}

Dim padded_dim(const DimTable& dims, DimId dim, std::int64_t size) {
  Dim padded;
  padded.name = dims[dim].name;
  padded.size = size;
  padded.formula = std::to_string(size);
  padded.scope = dims[dim].scope;
  padded.pads = dim;
  return padded;
}

DimList padded_dims(DimList dims, const PaddedDims& to) {
  for (DimId& dim : dims)
    if (const auto found = to.find(dim); found != to.end()) dim = found->second;
  return dims;
}

double neutral(Combine combine) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return combine == Combine::sum ? 0 : combine == Combine::max ? -infinity : infinity;
}

ValueId inside(ops::Builder& build, DimId padded) {
  const DimTable& dims = build.dims();
  const auto size = static_cast<double>(dims.size(dims[padded].pads));
  const ValueId end = build.constant(size, DType::i32);
  return build.binary("lt", build.index(padded), end);
}

ValueId filled(ops::Builder& build, ValueId x, ValueId inside, double value) {
  const DType dtype = build.type(x).dtype;
  return build.where(inside, x, build.constant(representable(value, dtype), dtype));
}

}  // namespace mtfc::lowering
