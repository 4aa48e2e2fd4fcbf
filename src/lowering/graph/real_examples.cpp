#include "lowering/graph/real_examples.h"

#include <algorithm>

#include "lowering/graph/consecutive_examples.h"
#include "ops/op.h"
#include "ops/view.h"

namespace mtfc::lowering {

RealExamples::RealExamples(DimId examples, const Graph& eval, ops::Builder& batch)
    : eval_(eval),
      batch_(batch),
      examples_(examples),
      positions_(consecutive_examples(examples, eval, batch.dims())),
      example_dims_(eval.values.size()) {
  if (examples.valid()) find_example_dims();
}

/// From what is fed and sampled on.
void RealExamples::find_example_dims() {
  for (const Operation& op : eval_.ops) {
    DimList dims;
    if (ops::op_of(op).kind == ops::Kind::field) dims = {examples_};
    if (ops::op_of(op).kind == ops::Kind::random)
      if (const auto drawn = carrier(op)) dims = {drawn->dim};
    for (const ValueId operand : op.operands) dims = union_of(dims, example_dims(operand));
    if (const auto* groups = ops::view_groups(op)) dims = dims_after_view(dims, *groups);
    for (const ValueId result : op.results)
      for (const DimId dim : dims)
        if (contains(eval_.at(result).type.dims, dim)) example_dims_[result.at()].push_back(dim);
  }
}

DimList RealExamples::dims_after_view(const DimList& before,
                                      const std::vector<DimGroup>& groups) const {
  DimList after = before;
  for (const DimGroup& group : groups) after = without(after, group.from);
  for (const DimGroup& group : groups)
    if (contains(before, group.from[0]) && positions_.contains(group.to[0]))
      after.push_back(group.to[0]);
  return after;
}

std::optional<RealExamples::Carrier> RealExamples::carrier(const Operation& random) const {
  for (const DimId dim : eval_.at(random.results[0]).type.dims)
    if (const auto found = positions_.find(dim); found != positions_.end())
      return Carrier{dim, found->second};
  return std::nullopt;
}

ValueId RealExamples::among(const std::vector<ValueId>& values, const DimList& dims) {
  if (!examples_.valid()) return {};
  if (masks_.empty()) find_masks();
  for (const ValueId value : values)
    if (const ValueId mask = masks_[value.at()];
        mask.valid() && is_subset(batch_.type(mask).dims, dims))
      return mask;
  return contains(dims, examples_) ? mask_along({examples_}) : ValueId{};
}

ValueId RealExamples::count() {
  if (!count_.valid()) count_ = batch_.apply("examples", {});
  return count_;
}

ValueId RealExamples::positions_of(ValueId examples, const Carrier& carrier) {
  if (carrier.positions == 1) return examples;
  return batch_.binary("mul", examples,
                       batch_.constant(static_cast<double>(carrier.positions), DType::i32));
}

ValueId RealExamples::mask_along(const Carrier& carrier) {
  ValueId& mask = along_[carrier.dim];
  if (!mask.valid())
    mask = batch_.binary("lt", batch_.index(carrier.dim), positions_of(count(), carrier));
  return mask;
}

void RealExamples::find_masks() {
  masks_.resize(eval_.values.size());
  for (const Operation& op : eval_.ops) {
    const ValueId mask = mask_of(op);
    for (const ValueId result : op.results)
      if (mask.valid() && is_subset(batch_.type(mask).dims, eval_.at(result).type.dims))
        masks_[result.at()] = mask;
  }
}

/// What results have if they have its dimensions.
ValueId RealExamples::mask_of(const Operation& op) {
  if (contains(eval_.at(op.results[0]).type.dims, examples_)) return mask_along({examples_});
  if (ops::op_of(op).kind == ops::Kind::random)
    if (const auto drawn = carrier(op)) return mask_along(*drawn);
  const auto* groups = ops::view_groups(op);
  for (const ValueId operand : op.operands) {
    const ValueId mask = masks_[operand.at()];
    if (mask.valid()) return groups != nullptr ? viewed(mask, *groups) : mask;
  }
  return {};
}

ValueId RealExamples::viewed(ValueId mask, const std::vector<DimGroup>& groups) {
  std::vector<DimGroup> its;
  DimList dims = batch_.type(mask).dims;
  for (const DimGroup& group : groups) {
    const bool touches = std::any_of(group.from.begin(), group.from.end(),
                                     [&](DimId dim) { return contains(dims, dim); });
    if (touches) its.push_back(group);
  }
  if (its.empty()) return mask;
  for (const DimGroup& group : its) dims = union_of(dims, group.from);
  return batch_.view(batch_.broadcast(mask, dims), its);
}

}  // namespace mtfc::lowering
