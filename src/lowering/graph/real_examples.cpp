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

/// Of the result, that no operand has.
DimList new_dims(const Graph& graph, const Operation& op) {
  DimList dims = graph.at(op.results[0]).type.dims;
  for (const ValueId operand : op.operands) dims = without(dims, graph.at(operand).type.dims);
  return dims;
}

}  // namespace

RealExamples::RealExamples(DimId examples, const Graph& eval, ops::Builder& batch, Copier* to_batch)
    : eval_(eval),
      batch_(batch),
      to_batch_(to_batch),
      examples_(examples),
      positions_(consecutive_examples(examples, eval, batch.dims())),
      example_dims_(eval.values.size()),
      of_examples_(eval.values.size()) {
  if (!examples.valid()) return;
  find_groups();
  find_example_dims();
}

void RealExamples::find_groups() {
  for (const Operation& op : eval_.ops)
    if (const auto* groups = ops::view_groups(op))
      for (const DimGroup& group : *groups)
        if (group.to.size() > 1 && positions_.contains(group.from[0]) &&
            !positions_.contains(group.to[0]))
          groups_.emplace(group.to[0], group);
}

DimList RealExamples::made_for_examples(const Operation& op) const {
  const ops::OpDef& def = ops::op_of(op);
  const bool copies = def.kind == ops::Kind::copy && !def.moves && ops::view_groups(op) == nullptr;
  const bool creates = def.kind == ops::Kind::literal || copies;
  DimList dims;
  if (creates || def.kind == ops::Kind::random)
    for (const DimId dim : new_dims(eval_, op))
      if (groups_.contains(dim) || (creates && positions_.contains(dim))) dims.push_back(dim);
  return dims;
}

bool RealExamples::moves(const Operation& op) const {
  return ops::op_of(op).moves ||
         (ops::op_of(op).kind == ops::Kind::lookup && to_batch_ != nullptr &&
          std::none_of(op.operands.begin() + 1, op.operands.end(),
                       [&](ValueId index) { return of_examples_[index.at()]; }));
}

/// From what is fed, sampled and made for examples on.
void RealExamples::find_example_dims() {
  for (const Operation& op : eval_.ops) {
    DimList dims = made_for_examples(op);
    if (ops::op_of(op).kind == ops::Kind::field) dims = {examples_};
    if (ops::op_of(op).kind == ops::Kind::random)
      if (const auto drawn = carrier(op)) dims = union_of(dims, {drawn->dim});
    for (const ValueId operand : op.operands) dims = union_of(dims, example_dims(operand));
    if (const auto* groups = ops::view_groups(op)) dims = dims_after_view(dims, *groups);
    if (moves(op) && !is_subset(dims, eval_.at(op.results[0]).type.dims))
      dims = union_of(dims, new_dims(eval_, op));
    for (const ValueId result : op.results)
      for (const DimId dim : dims)
        if (contains(eval_.at(result).type.dims, dim)) example_dims_[result.at()].push_back(dim);
    const bool any = !dims.empty() || ops::op_of(op).kind == ops::Kind::random ||
                     std::any_of(op.operands.begin(), op.operands.end(),
                                 [&](ValueId operand) { return of_examples_[operand.at()]; });
    for (const ValueId result : op.results) of_examples_[result.at()] = any;
  }
}

DimList RealExamples::dims_after_view(const DimList& before,
                                      const std::vector<DimGroup>& groups) const {
  DimList after = before;
  for (const DimGroup& group : groups) after = without(after, group.from);
  for (const DimGroup& group : groups) {
    if (contains(before, group.from[0]) && positions_.contains(group.to[0]))
      after.push_back(group.to[0]);
    else if (without(group.from, before).size() < group.from.size())
      after = union_of(after, group.to);
  }
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
  return all_of(masks);
}

ValueId RealExamples::all_of(const std::vector<ValueId>& masks) {
  ValueId all;
  for (const ValueId mask : masks)
    all = all.valid() ? batch_.binary("logical_and", all, mask) : mask;
  return all;
}

ValueId RealExamples::along(const std::vector<ValueId>& values, const DimList& dims) {
  if (!examples_.valid()) return {};
  if (masks_.empty()) find_masks();
  std::vector<ValueId> masks;
  for (const ValueId value : values)
    for (const ValueId mask : masks_[value.at()]) {
      const DimList& its = batch_.type(mask).dims;
      const DimList others = without(its, dims);
      const bool has_real = others.empty() && along_.contains(its[0]) && along_.at(its[0]) == mask;
      if (has_real) {
        add_mask(masks, mask);
      } else if (others.size() < its.size()) {
        const ValueId some = batch_.reduce_to(Combine::max, mask, others);
        add_mask(masks, batch_.binary("logical_or", mask, batch_.unary("logical_not", some)));
      }
    }
  return all_of(masks);
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

ValueId RealExamples::mask_of_made(DimId dim) {
  if (const auto found = positions_.find(dim); found != positions_.end())
    return mask_along({dim, found->second});
  const DimGroup& group = groups_.at(dim);
  const ValueId examples = mask_along({group.from[0], positions_.at(group.from[0])});
  ValueId& mask = along_[dim];
  if (!mask.valid()) mask = batch_.reduce_to(Combine::max, batch_.view(examples, {group}), {dim});
  return mask;
}

void RealExamples::find_masks() {
  masks_.resize(eval_.values.size());
  for (const Operation& op : eval_.ops) {
    const std::vector<ValueId> masks = masks_of(op);
    for (const ValueId result : op.results)
      for (const ValueId mask : masks) {
        const DimList dims = batch_.type(mask).dims;
        if (dims.empty()) continue;
        const DimList left = without(dims, without(dims, eval_.at(result).type.dims));
        if (left.size() == dims.size())
          add_mask(masks_[result.at()], mask);
        else if (!left.empty())  // what is made of several examples, one of which is real
          add_mask(masks_[result.at()], batch_.reduce_to(Combine::max, mask, left));
      }
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
  for (const DimId dim : made_for_examples(op)) add_mask(masks, mask_of_made(dim));
  const ValueId of_moved = moves(op) ? moved(op) : ValueId{};
  if (of_moved.valid()) masks.push_back(of_moved);
  for (const ValueId operand : op.operands)
    for (const ValueId mask : masks_[operand.at()])
      if (!of_moved.valid() || is_subset(batch_.type(mask).dims, eval_.at(op.results[0]).type.dims))
        add_mask(masks, groups != nullptr ? viewed(mask, *groups) : mask);
  return masks;
}

ValueId RealExamples::moved(const Operation& op) {
  const DimList& results = eval_.at(op.results[0]).type.dims;
  const bool looks_up = ops::op_of(op).kind == ops::Kind::lookup;
  std::vector<ValueId> padding(looks_up ? 1 : op.operands.size());  // where operands have it
  DimList beside;
  for (std::size_t i = 0; i < padding.size(); ++i) {
    std::vector<ValueId> lost;
    for (const ValueId mask : masks_[op.operands[i].at()])
      if (!is_subset(batch_.type(mask).dims, results)) lost.push_back(mask);
    if (lost.empty()) continue;
    padding[i] = batch_.unary("logical_not", all_of(lost));
    const DimList& dims = batch_.type(padding[i]).dims;
    beside = union_of(beside, without(dims, without(dims, results)));
  }
  if (std::none_of(padding.begin(), padding.end(), [](ValueId one) { return one.valid(); }))
    return {};
  for (std::size_t i = 0; i < padding.size(); ++i) {
    const DimList dims = union_of(without(eval_.at(op.operands[i]).type.dims, results), beside);
    padding[i] = padding[i].valid() ? batch_.broadcast(padding[i], dims)
                                    : batch_.constant(0, DType::boolean, dims);
  }
  Attrs attrs = op.attrs;
  if (attrs.find("fill")) attrs.set("fill", 0.0);
  for (std::size_t i = padding.size(); i < op.operands.size(); ++i)
    padding.push_back(to_batch_->copy(op.operands[i]));
  return batch_.unary("logical_not", batch_.apply(op.op, std::move(padding), std::move(attrs)));
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
    return mask_along({its[0].to[0], positions_.at(its[0].to[0])});
  for (const DimGroup& group : its) dims = union_of(dims, group.from);
  return batch_.view(batch_.broadcast(mask, dims), its);
}

}  // namespace mtfc::lowering
