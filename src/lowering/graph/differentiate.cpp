#include "lowering/graph/differentiate.h"

#include "lowering/graph/rematerialize.h"
#include "ops/op.h"

namespace mtfc::lowering {

std::vector<bool> active_values(const Graph& graph, const std::vector<ValueId>& wanted) {
  std::vector<bool> active(graph.values.size());
  for (ValueId id : wanted) active[id.at()] = true;
  for (const Operation& op : graph.ops) {
    if (!ops::op_of(op).gradient) continue;
    bool any = false;
    for (ValueId operand : op.operands) any = any || active[operand.at()];
    if (!any) continue;
    for (ValueId result : op.results) active[result.at()] = true;
  }
  return active;
}

namespace {

class Backward {
 public:
  Backward(ops::Builder& build, const std::vector<ValueId>& wanted, const std::vector<int>& parents)
      : build_(build),
        rematerializer_(build, parents),
        active_(active_values(build.graph(), wanted)),
        grads_(build.graph().values.size()),
        uses_(build.graph().values.size()) {
    for (const Operation& op : build.graph().ops)
      if (ops::op_of(op).gradient)
        for (ValueId operand : op.operands) ++uses_[operand.at()];
  }

  std::vector<ValueId> run(const std::vector<Seed>& seeds, const std::vector<ValueId>& wanted) {
    const std::size_t forward_ops = build_.graph().ops.size();
    for (const Seed& seed : seeds) add(seed.value, seed.gradient);
    for (std::size_t i = forward_ops; i-- > 0;) {
      const Operation op = build_.graph().ops[i];  // a copy: the list grows below
      visit(op);
    }
    std::vector<ValueId> result;
    for (ValueId id : wanted) result.push_back(grads_[id.at()]);
    return result;
  }

 private:
  void add(ValueId value, ValueId gradient) {
    ValueId& sum = grads_[value.at()];
    sum = sum.valid() ? build_.binary("add", sum, gradient) : gradient;
  }

  /// A gradient is split as the value is whose gradient it is. Where that is used several times,
  /// the parts of the sum are split as the uses are: so they can stay partial until they are added.
  void split_like(ValueId value, ValueId gradient) {
    Graph& graph = build_.graph();
    if (uses_[value.at()] != 1) return;
    const std::vector<int>& scopes = graph.producer(value).role.scopes;
    graph.ops[graph.at(gradient).producer.at()].role.scopes = scopes;
  }

  void visit(const Operation& op) {
    const ops::OpDef& def = ops::op_of(op);
    if (!def.gradient) return;
    std::vector<ValueId> result_grads;
    bool any = false;
    for (ValueId result : op.results) {
      result_grads.push_back(active_[result.at()] ? grads_[result.at()] : ValueId{});
      any = any || result_grads.back().valid();
    }
    if (!any) return;

    const Operation rematerialized = rematerializer_.rematerialized(op);
    build_.follow(op);
    build_.origin.phase = Phase::backward;
    build_.role.kind = StepRole::Kind::gradient;
    build_.role.recompute = rematerializer_.backward_tag(op.role.recompute);
    const std::size_t first = build_.graph().ops.size();
    const ops::Gradients found = def.gradient({build_, rematerialized, result_grads});
    for (std::size_t k = 0; k < found.size(); ++k) {
      const ValueId operand = op.operands[k];
      if (!found[k].valid() || !active_[operand.at()]) continue;
      if (build_.graph().at(found[k]).producer.at() >= first) split_like(operand, found[k]);
      add(operand, found[k]);
    }
    rematerializer_.note_uses(first);
  }

  ops::Builder& build_;
  Rematerializer rematerializer_;
  const std::vector<bool> active_;
  std::vector<ValueId> grads_;
  std::vector<int> uses_;  // by forward value: operands of operations that have gradients
};

}  // namespace

std::vector<ValueId> differentiate(ops::Builder& build, const std::vector<Seed>& seeds,
                                   const std::vector<ValueId>& wanted,
                                   const std::vector<int>& recompute_parents) {
  return Backward(build, wanted, recompute_parents).run(seeds, wanted);
}

std::vector<ValueId> differentiate(ops::Builder& build, ValueId of,
                                   const std::vector<ValueId>& wanted,
                                   const std::vector<int>& recompute_parents) {
  const ValueId one = build.constant(1, build.type(of).dtype);
  return differentiate(build, {{of, one}}, wanted, recompute_parents);
}

}  // namespace mtfc::lowering
