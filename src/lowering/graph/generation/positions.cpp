#include "lowering/graph/generation/positions.h"

#include "lowering/graph/generation/causal_mask.h"
#include "ops/op.h"
#include "ops/view.h"
#include "ops/window.h"

namespace mtfc::lowering {

namespace {

using ops::Factor;
using ops::Role;

class PositionAnalysis {
 public:
  PositionAnalysis(const Cut& cut, const DimTable& dims)
      : cut_(cut),
        graph_(cut.graph),
        dims_(dims),
        depends_(graph_.values.size()),
        affine_(graph_, dims) {
    found_.stages.resize(graph_.values.size(), Stage::fixed);
    found_.kept.resize(graph_.values.size());
    found_.carried.resize(graph_.values.size());
  }

  Positions run() {
    find_dependent();
    find_copies();
    for (DimId copy : found_.copies)
      ahead_.push_back(find_ahead(graph_, dims_, affine_, cut_.over, copy));
    for (const Operation& op : graph_.ops) {
      if (!depends_[op.results[0].at()]) continue;
      if (op.results[0] != cut_.tokens) why_ = check(op);
      if (why_.empty()) why_ = settle(op);
      if (why_.empty()) continue;
      found_.obstacle = Obstacle{op.origin.span, why_};
      break;
    }
    return std::move(found_);
  }

 private:
  std::string name(DimId dim) const { return "`" + dims_[dim].name + "`"; }
  bool ours(DimId dim) const { return dim.valid() && found_.is_position(dim, cut_.over); }
  Stage stage(ValueId id) const { return found_.stages[id.at()]; }
  bool has(ValueId id, DimId dim) const { return contains(graph_.at(id).type.dims, dim); }

  void find_dependent() {
    if (!cut_.tokens.valid()) return;
    for (const Operation& op : graph_.ops) {
      bool any = op.results[0] == cut_.tokens;
      for (ValueId operand : op.operands) any = any || depends_[operand.at()];
      for (ValueId result : op.results) depends_[result.at()] = any;
    }
  }

  /// What dependent values have the dimension, or a copy of it, renamed to.
  void find_copies() {
    for (const Operation& op : graph_.ops) {
      const auto* groups = ops::view_groups(op);
      if (!depends_[op.results[0].at()] || !groups) continue;
      for (const DimGroup& g : *groups) {
        const bool rename = g.from.size() == 1 && g.to.size() == 1;
        if (rename && ours(g.from[0]) && !ours(g.to[0])) found_.copies.push_back(g.to[0]);
      }
    }
  }

  // ---------------------------------------------------------------- one operation
  /// Why the operation obeys no rule; empty if it does.
  std::string check(const Operation& op) {
    for (const Factor& f : ops::op_of(op).factors(op, graph_).list) {
      const std::string why = check(op, f);
      if (!why.empty()) return why;
    }
    if (const auto* items = ops::window_items(op))
      for (const WindowItem& item : *items)
        for (const Affine::Term& term : item.at.terms)
          if (ours(term.dim)) return "it reads at places that move along " + name(term.dim);
    const auto* groups = ops::view_groups(op);
    return groups ? check_groups(*groups) : "";
  }

  std::string check(const Operation& op, const Factor& f) {
    DimId dim = f.result;
    for (DimId d : f.operands)
      if (ours(d)) dim = d;
    if (!ours(dim)) return "";
    switch (f.role) {
      case Role::parallel:
      case Role::created:
      case Role::regrouped:  // by groups
        return "";
      case Role::reduced:
        return reduced(op, dim);
      case Role::indexed:
        return looked_back(op, dim);
      default:
        return runs(op, dim) ? "" : "it needs all of " + name(dim) + " at once";
    }
  }

  /// A running sum: of one entry a step it carries the sum so far; against all entries so far,
  /// along a copy, it is summed anew.
  bool runs(const Operation& op, DimId dim) {
    const auto& running_sum = ops::op_of(op).running_sum;
    if (!running_sum || running_sum(op).reverse) return false;
    if (stage(op.operands[0]) != Stage::pair)
      found_.carried[op.results[0].at()] = true;
    else if (dim == cut_.over)
      return false;
    return true;
  }

  std::string reduced(const Operation& op, DimId dim) const {
    if (dim == cut_.over) return "it joins all positions along " + name(dim);
    if (!has(op.results[0], cut_.over))
      return "it joins all positions along " + name(dim) + ", the later ones too";
    const auto index = static_cast<std::size_t>(position(found_.copies, dim));
    for (ValueId operand : op.operands)
      if (has(operand, dim) && has(operand, cut_.over) && neutral(op, operand, index)) return "";
    return "it joins positions along " + name(dim) + " that may be later than that along " +
           name(cut_.over) + ": no mask says that index(" + dims_[cut_.over].name + ") >= index(" +
           dims_[dim].name + ")";
  }

  /// What lies ahead changes nothing in the sum, maximum or minimum.
  bool neutral(const Operation& op, ValueId operand, std::size_t copy) const {
    const auto& known = ahead_[copy][operand.at()];
    if (!known) return false;
    const auto combine = ops::op_of(op).factors(op, graph_).combine;
    const bool boolean = graph_.at(operand).type.dtype == DType::boolean;
    if (combine == Combine::sum || (combine == Combine::max && boolean)) return known->is(0);
    if (combine == Combine::min) return boolean && known->is(1);
    return known->low;
  }

  /// x[d = e] where e is affine and never ahead.
  std::string looked_back(const Operation& op, DimId dim) {
    if (dim != cut_.over || ops::op_of(op).kind != ops::Kind::lookup || op.operands.size() != 2 ||
        stage(op.operands[0]) != Stage::at || depends_[op.operands[1].at()])
      return "it looks up positions along " + name(dim);
    const ops::AffineForm* at = affine_.find(op.operands[1]);
    if (!at || !has(op.operands[1], dim)) return "it looks up positions along " + name(dim);
    if (ops::range_of(at->plus({0, {{dim, 1}}}, -1), dims_).high > 0)
      return "it looks ahead along " + name(dim);
    found_.kept[op.operands[0].at()] = true;
    return "";
  }

  /// The dimension may become a copy, a copy another one; nothing else.
  std::string check_groups(const std::vector<DimGroup>& groups) const {
    for (const DimGroup& g : groups) {
      DimId touched;
      for (const auto* list : {&g.from, &g.to})
        for (DimId dim : *list)
          if (ours(dim)) touched = dim;
      if (!touched.valid()) continue;
      if (g.from.size() > 1 || g.to.size() > 1)
        return name(touched) + " is split or merged with other dimensions";
      if (g.to[0] == cut_.over || !ours(g.from[0]) || !ours(g.to[0]))
        return name(g.from[0]) + " becomes " + name(g.to[0]);
    }
    return "";
  }

  // ---------------------------------------------------------------- results
  std::string settle(const Operation& op) {
    const DimList& dims = graph_.at(op.results[0]).type.dims;
    DimList copies;
    for (DimId dim : dims)
      if (contains(found_.copies, dim)) copies.push_back(dim);
    Stage result = Stage::at;
    if (contains(dims, cut_.over))
      result = copies.empty() ? Stage::at : Stage::pair;
    else if (copies.size() == 1)
      result = Stage::past;
    else if (copies.empty())
      return "its result has no position along " + name(cut_.over);
    else
      return "its result has two positions, " + name(copies[0]) + " and " + name(copies[1]) +
             ", and none along " + name(cut_.over);
    for (ValueId id : op.results) found_.stages[id.at()] = result;
    // The last past values before one that has the dimension.
    if (result != Stage::past)
      for (ValueId operand : op.operands)
        if (stage(operand) == Stage::past) found_.kept[operand.at()] = true;
    return "";
  }

  const Cut& cut_;
  const Graph& graph_;
  const DimTable& dims_;
  std::vector<bool> depends_;
  ops::AffineValues affine_;
  std::vector<std::vector<std::optional<Known>>> ahead_;  // by copy
  std::string why_;
  Positions found_;
};

}  // namespace

Positions find_positions(const Cut& cut, const DimTable& dims) {
  return PositionAnalysis(cut, dims).run();
}

}  // namespace mtfc::lowering
