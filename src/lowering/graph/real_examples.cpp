#include "lowering/graph/real_examples.h"

#include <algorithm>

#include "lowering/graph/consecutive_examples.h"
#include "ops/op.h"
#include "ops/view.h"

namespace mtfc::lowering {
namespace {

void add_mask(std::vector<ValueId>& masks, ValueId mask) {
  if (std::find(masks.begin(), masks.end(), mask) == masks.end()) masks.push_back(mask);
}

}  // namespace

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
  std::vector<ValueId> masks;
  if (contains(dims, examples_)) masks.push_back(mask_along({examples_}));
  for (const ValueId value : values)
    for (const ValueId mask : masks_[value.at()])
      if (is_subset(batch_.type(mask).dims, dims)) add_mask(masks, mask);
  ValueId all;
  for (const ValueId mask : masks)
    all = all.valid() ? batch_.binary("logical_and", all, mask) : mask;
  return all;
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
    const std::vector<ValueId> masks = masks_of(op);
    for (const ValueId result : op.results)
      for (const ValueId mask : masks)
        if (is_subset(batch_.type(mask).dims, eval_.at(result).type.dims))
          masks_[result.at()].push_back(mask);
  }
}

/// What results have if they have its dimensions: each holds alone.
std::vector<ValueId> RealExamples::masks_of(const Operation& op) {
  std::vector<ValueId> masks;
  if (contains(eval_.at(op.results[0]).type.dims, examples_))
    masks.push_back(mask_along({examples_}));
  if (ops::op_of(op).kind == ops::Kind::random)
    if (const auto drawn = carrier(op)) add_mask(masks, mask_along(*drawn));
  const auto* groups = ops::view_groups(op);
  for (const ValueId operand : op.operands)
    for (const ValueId mask : masks_[operand.at()])
      add_mask(masks, groups != nullptr ? viewed(mask, *groups) : mask);
  return masks;
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
  if (dims.size() == 1 && its[0].from[0] == dims[0] && positions_.contains(dims[0]) &&
      positions_.contains(its[0].to[0]))
    return along(its[0].to[0]);
  for (const DimGroup& group : its) dims = union_of(dims, group.from);
  return batch_.view(batch_.broadcast(mask, dims), its);
}

}  // namespace mtfc::lowering
