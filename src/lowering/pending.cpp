#include "lowering/pending.h"

#include "lowering/local.h"

namespace mtfc::lowering {

namespace {

class Analysis {
 public:
  Analysis(const Graph& graph, const LowerContext& context)
      : graph_(graph),
        context_(context),
        pending_(graph.values.size()),
        forced_(graph.values.size()) {
    for (const Output& output : graph.outputs) forced_[output.value.at()] = true;
    for (const Operation& op : graph.ops) kinds_.push_back(local_instruction(op, graph));
  }

  std::vector<Pending> run() {
    do {
      changed_ = false;
      for (std::size_t i = 0; i < graph_.ops.size(); ++i) visit(graph_.ops[i], kinds_[i]);
    } while (changed_);
    for (std::size_t v = 0; v < pending_.size(); ++v) {
      pending_[v].stays = !pending_[v].made.axes.empty() && !forced_[v];
    }
    return std::move(pending_);
  }

 private:
  ShardType type_of(ValueId id) const {
    ShardType type{graph_.at(id).type, context_.table[id.at()]};
    if (!forced_[id.at()]) {
      type.sharding.partial = pending_[id.at()].made.axes;
      type.sharding.combine = pending_[id.at()].made.combine;
    }
    return type;
  }

  void force(ValueId id) {
    if (forced_[id.at()] || pending_[id.at()].made.axes.empty()) return;
    forced_[id.at()] = true;
    changed_ = true;
  }

  std::int64_t elements_of(ValueId id) const {
    return shard_elements(context_.dims, context_.placement.mesh,
                          {graph_.at(id).type, context_.table[id.at()]});
  }

  bool takes(const Operation& op, const InstructionKind& kind,
             const std::vector<ShardType>& types) const {
    bool any = false;
    for (const ShardType& type : types) any = any || type.sharding.is_partial();
    if (!any) return true;
    if (!partial_of(kind, types)) return false;
    // The optimiser sees complete gradients: their sums belong to the lines that they come from.
    if (op.origin.phase == Phase::update) return false;
    // A product may be summed before or after; before is never larger.
    if (std::holds_alternative<Contract>(kind) || std::holds_alternative<Gather>(kind) ||
        std::holds_alternative<ScatterAdd>(kind)) {
      return false;
    }
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (types[i].sharding.is_partial() &&
          elements_of(op.results[0]) > elements_of(op.operands[i])) {
        return false;
      }
    }
    return moves_nothing(op, kind, types);
  }

  /// A pending value is not sent around.
  bool moves_nothing(const Operation& op, const InstructionKind& kind,
                     const std::vector<ShardType>& types) const {
    if (const auto* r = std::get_if<Rearrange>(&kind)) {
      const LocalView view =
          local_view(context_.placement.mesh, context_.dims, r->groups, types[0].tensor.dims,
                     graph_.at(op.results[0]).type.dims, types[0].sharding);
      return view.operand == types[0].sharding &&
             view.result.split == context_.table[op.results[0].at()].split;
    }
    return !std::holds_alternative<Slice>(kind) && !std::holds_alternative<Pad>(kind);
  }

  void visit(const Operation& op, const InstructionKind& kind) {
    std::vector<ShardType> types;
    for (ValueId id : op.operands) types.push_back(type_of(id));
    if (!takes(op, kind, types)) {
      for (std::size_t i = 0; i < types.size(); ++i) {
        if (!types[i].sharding.is_partial()) continue;
        force(op.operands[i]);
        types[i].sharding.partial.clear();
      }
    }
    const auto made = partial_of(kind, types);
    PartialAxes& slot = pending_[op.results[0].at()].made;
    if (made && (made->axes != slot.axes || made->combine != slot.combine)) {
      slot = *made;
      changed_ = true;
    }
  }

  const Graph& graph_;
  const LowerContext& context_;
  std::vector<InstructionKind> kinds_;
  std::vector<Pending> pending_;
  std::vector<bool> forced_;
  bool changed_ = false;
};

}  // namespace

std::vector<Pending> find_pending(const Graph& graph, const LowerContext& context) {
  return Analysis(graph, context).run();
}

}  // namespace mtfc::lowering
