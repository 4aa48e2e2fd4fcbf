#include "lowering/graph/generation/generation_rewriter.h"

#include <algorithm>

#include "ops/inputs.h"
#include "ops/literals.h"
#include "ops/op.h"
#include "ops/put.h"
#include "support/check.h"
#include "support/program_names.h"

namespace mtfc::lowering {

GenerationRewriter::GenerationRewriter(Store& store, const GenerationWindow& window, Graph& graph)
    : store_(store),
      from_(store.cut().graph),
      positions_(store.positions()),
      window_(window),
      to_(graph, store.model().dims),
      newest_(window.dims),
      entries_(store.entries()),
      has_data_(from_.values.size()),
      here_(from_.values.size()),
      entry_(from_.values.size()),
      so_far_(from_.values.size()) {
  const DimId over = store.cut().over;
  newest_[over] = entries_.at(over);
  for (const Operation& op : from_.ops) {
    const ops::Kind kind = ops::op_of(op).kind;
    bool any = kind == ops::Kind::variable || kind == ops::Kind::field || kind == ops::Kind::random;
    for (ValueId operand : op.operands) any = any || has_data_[operand.at()];
    for (ValueId result : op.results) has_data_[result.at()] = any;
  }
}

ValueId GenerationRewriter::apply(const Operation& op, std::vector<ValueId> operands,
                                  const Renaming& renaming) {
  to_.follow(op);
  const ValueId result = to_.apply(op.op, std::move(operands), renamed(renaming, op.attrs));
  to_.set_name(result, from_.at(op.results[0]).name);
  return result;
}

void GenerationRewriter::apply_here(const Operation& op, std::vector<ValueId> operands,
                                    const Renaming& renaming) {
  to_.follow(op);
  const auto results = to_.apply_many(op.op, std::move(operands), renamed(renaming, op.attrs));
  for (std::size_t i = 0; i < results.size(); ++i) {
    here_[op.results[i].at()] = results[i];
    to_.set_name(results[i], from_.at(op.results[i]).name);
  }
}

/// The texts first, whatever the model's order: that is how the host feeds them.
ValueId GenerationRewriter::tokens(const Renaming& renaming) {
  const TensorType& type = from_.at(store_.cut().tokens).type;
  DimList dims = without(type.dims, {store_.cut().over});
  dims.push_back(renamed(renaming, store_.cut().over));
  const ValueId fed = to_.input(feed_names::generated_ids, {type.dtype, dims});
  return to_.broadcast(fed, renamed(renaming, type.dims));
}

ValueId GenerationRewriter::position() {
  if (!position_.valid()) position_ = to_.apply("position", {});
  return position_;
}

ValueId GenerationRewriter::position_along(DimId one) { return to_.broadcast(position(), {one}); }

bool GenerationRewriter::touches(ValueId value) const {
  for (DimId dim : dims_of(value))
    if (positions_.is_position(dim, store_.cut().over)) return true;
  return false;
}

// ---------------------------------------------------------------- fixed values
/// Cheap, position by position, and nothing that could be done once instead.
bool GenerationRewriter::is_recomputed(const Operation& op) const {
  using ops::Kind;
  const ops::OpDef& def = ops::op_of(op);
  if (def.kind == Kind::literal || def.kind == Kind::variable) return true;
  if (def.kind != Kind::elementwise && def.kind != Kind::copy && def.kind != Kind::lookup)
    return false;
  for (const ops::Factor& f : def.factors(op, from_).list) {
    bool ours = positions_.is_position(f.result, store_.cut().over);
    for (DimId dim : f.operands) ours = ours || positions_.is_position(dim, store_.cut().over);
    if (ours && f.role != ops::Role::parallel && f.role != ops::Role::created) return false;
  }
  return touches(op.results[0]) || !has_data_[op.results[0].at()];
}

ValueId GenerationRewriter::fixed(ValueId value, const Renaming& renaming) {
  const auto found = fixed_.find({&renaming, value});
  if (found != fixed_.end()) return found->second;
  const Operation& op = from_.producer(value);
  to_.follow(op);
  ValueId result;
  if (!is_recomputed(op)) {
    const Variable& kept = store_.fixed(value);
    result = restricted(to_.read(kept.path, kept.type), dims_of(value), renaming);
  } else if (const std::string* variable = ops::variable_read(op)) {
    const ValueId whole = to_.read(*variable, from_.at(value).type);
    to_.set_name(whole, from_.at(value).name);
    result = restricted(whole, dims_of(value), renaming);
  } else if (ops::index_dim(op).valid() && touches(value)) {
    const DimId dim = renamed(renaming, dims_of(value)[0]);
    result = to_.dims().size(dim) == 1 ? position_along(dim) : to_.index(dim);
  } else {
    std::vector<ValueId> operands;
    for (ValueId operand : op.operands) operands.push_back(fixed(operand, renaming));
    result = apply(op, std::move(operands), renaming);
  }
  fixed_[{&renaming, value}] = result;
  return result;
}

/// The window's positions of a whole value, or the newest.
ValueId GenerationRewriter::restricted(ValueId whole, const DimList& dims,
                                       const Renaming& renaming) {
  const Origin origin = to_.origin;
  const StepRole role = to_.role;
  for (DimId dim : dims) {
    if (!positions_.is_position(dim, store_.cut().over)) continue;
    const DimId target = renamed(renaming, dim);
    if (target == dim) continue;
    const bool one = target == entries_.at(dim);
    whole = one ? to_.gather(whole, {dim}, {position_along(target)}, 0)
                : to_.slice(whole, dim, 0, target);
  }
  to_.origin = origin;
  to_.role = role;
  return whole;
}

// ---------------------------------------------------------------- all positions
void GenerationRewriter::all_positions() {
  const Renaming& all = window_.dims;
  const Cut& cut = store_.cut();
  for (const Operation& op : from_.ops) {
    const ValueId result = op.results[0];
    if (!depends(result)) continue;
    if (result == cut.tokens) {
      here_[result.at()] = tokens(all);
      continue;
    }
    std::vector<ValueId> operands;
    for (ValueId operand : op.operands)
      operands.push_back(depends(operand) ? here_[operand.at()] : fixed(operand, all));
    apply_here(op, std::move(operands), all);
  }
  const ValueId logits = depends(cut.logits) ? here_[cut.logits.at()] : fixed(cut.logits, all);
  const ValueId last =
      to_.gather(logits, {renamed(all, cut.over)}, {position_along(entries_.at(cut.over))}, 0);
  to_.graph().outputs.push_back({Output::Kind::tensor, "logits", last});
  for (std::size_t i = 0; i < positions_.kept.size(); ++i) {
    const ValueId value{static_cast<std::int32_t>(i)};
    if (!positions_.kept[i] || !here_[i].valid()) continue;
    to_.graph().outputs.push_back(
        {Output::Kind::variable, store_.cache(value, window_).path, here_[i]});
  }
  for (const Operation& op : from_.ops) {
    const ValueId result = op.results[0];
    if (!positions_.carried[result.at()]) continue;
    to_.follow(op);
    const ValueId x = op.operands[0];
    to_.graph().outputs.push_back({Output::Kind::variable, store_.carry(result).path,
                                   summed(op, depends(x) ? here_[x.at()] : fixed(x, all))});
  }
}

/// What the step after `position` goes on from.
ValueId GenerationRewriter::summed(const Operation& op, ValueId x) {
  const TensorType type = store_.carry(op.results[0]).type;  // a copy: variables are added
  const DimId dim = renamed(window_.dims, ops::op_of(op).running_sum(op).dim);
  if (to_.type(x).dtype != type.dtype) x = to_.cast(x, type.dtype);
  const ValueId now = position();
  const ValueId read = to_.binary("le", to_.index(dim), now);
  const ValueId sum =
      to_.reduce(Combine::sum, to_.where(read, x, to_.constant(0, type.dtype)), {dim});
  return to_.broadcast(sum, type.dims);
}

// ---------------------------------------------------------------- one position
void GenerationRewriter::one_position() {
  const Cut& cut = store_.cut();
  for (const Operation& op : from_.ops)
    if (depends(op.results[0])) step(op);
  const ValueId logits = depends(cut.logits) ? here_[cut.logits.at()] : fixed(cut.logits, newest_);
  to_.graph().outputs.push_back({Output::Kind::tensor, "logits", logits});
}

void GenerationRewriter::step(const Operation& op) {
  const ValueId result = op.results[0];
  if (result == store_.cut().tokens) {
    here_[result.at()] = tokens(newest_);
  } else if (is_past(result)) {
    entry_[result.at()] = entry(op);
  } else if (positions_.carried[result.at()]) {
    here_[result.at()] = carry(op, here_[op.operands[0].at()]);
  } else if (looks_back(op)) {
    here_[result.at()] = look_back(op);
  } else {
    std::vector<ValueId> operands;
    for (ValueId operand : op.operands) {
      operands.push_back(!depends(operand)  ? fixed(operand, newest_)
                         : is_past(operand) ? so_far(operand, entry_[operand.at()])
                                            : here_[operand.at()]);
    }
    apply_here(op, std::move(operands), newest_);
  }
}

/// The new entry of a past value: the operation on one position.
ValueId GenerationRewriter::entry(const Operation& op) {
  if (positions_.carried[op.results[0].at()]) return carry(op, entry_[op.operands[0].at()]);
  std::vector<ValueId> operands;
  for (ValueId operand : op.operands) {
    operands.push_back(!depends(operand)  ? fixed(operand, entries_)
                       : is_past(operand) ? entry_[operand.at()]
                                          : here_[operand.at()]);
  }
  return apply(op, std::move(operands), entries_);
}

/// A running sum at the newest position.
ValueId GenerationRewriter::carry(const Operation& op, ValueId entry) {
  const Variable kept = store_.carry(op.results[0]);
  to_.follow(op);
  const DType wanted = to_.type(entry).dtype;
  if (wanted != kept.type.dtype) entry = to_.cast(entry, kept.type.dtype);
  const ValueId before = to_.read(kept.path, kept.type);
  const ValueId after = to_.binary("add", before, entry);
  to_.graph().outputs.push_back({Output::Kind::variable, kept.path, after});
  const ValueId sum = ops::op_of(op).running_sum(op).exclusive ? before : after;
  return wanted == kept.type.dtype ? sum : to_.cast(sum, wanted);
}

bool GenerationRewriter::looks_back(const Operation& op) const {
  const ops::OpDef& def = ops::op_of(op);
  if (def.kind != ops::Kind::lookup || !depends(op.operands[0]) ||
      !positions_.kept[op.operands[0].at()])
    return false;
  const std::vector<ops::Factor> factors = def.factors(op, from_).list;
  return std::any_of(factors.begin(), factors.end(), [&](const ops::Factor& f) {
    return f.role == ops::Role::indexed && f.operands[0] == store_.cut().over;
  });
}

/// x[d = e] at the newest position: out of all that x was so far.
ValueId GenerationRewriter::look_back(const Operation& op) {
  const ValueId x = op.operands[0];
  const ValueId kept = so_far(x, here_[x.at()]);
  const ValueId at_index = fixed(op.operands[1], newest_);
  return apply(op, {kept, at_index}, window_.dims);
}

/// The cache of a value with the new entry.
ValueId GenerationRewriter::so_far(ValueId value, ValueId entry) {
  ValueId& slot = so_far_[value.at()];
  if (slot.valid()) return slot;
  const Variable& cache = store_.cache(value, window_);
  DimId dim;
  for (DimId d : dims_of(value))
    if (positions_.is_position(d, store_.cut().over)) dim = d;
  MTFC_CHECK(entry.valid() && dim.valid(), "a kept value has no new entry");
  to_.follow(from_.producer(value));
  const ValueId before = to_.read(cache.path, cache.type);
  slot = ops::put(to_, before, entry, position(), renamed(window_.dims, dim), entries_.at(dim));
  to_.set_name(slot, from_.at(value).name);
  to_.graph().outputs.push_back({Output::Kind::variable, cache.path, slot});
  return slot;
}

}  // namespace mtfc::lowering
