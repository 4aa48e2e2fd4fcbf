#include "lowering/differentiate.h"

#include "ops/op.h"

namespace mtfc::lowering {

namespace {

/// Values through which a gradient flows: they depend on a wanted one.
std::vector<bool> active_values(const Graph& graph, const std::vector<ValueId>& wanted) {
  std::vector<bool> active(graph.values.size());
  for (ValueId id : wanted) active[id.at()] = true;
  for (const Operation& op : graph.ops) {
    if (!ops::op_named(op.op).gradient) continue;
    bool any = false;
    for (ValueId operand : op.operands) any = any || active[operand.at()];
    if (!any) continue;
    for (ValueId result : op.results) active[result.at()] = true;
  }
  return active;
}

}  // namespace

std::vector<ValueId> differentiate(ops::Builder& build, ValueId of,
                                   const std::vector<ValueId>& wanted) {
  Graph& graph = build.graph();
  const std::vector<bool> active = active_values(graph, wanted);
  std::vector<ValueId> grads(graph.values.size());
  grads[of.at()] = build.constant(1, build.type(of).dtype);

  const std::size_t forward_ops = graph.ops.size();
  for (std::size_t i = forward_ops; i-- > 0;) {
    const Operation op = graph.ops[i];  // a copy: the list grows below
    const ops::OpDef& def = ops::op_named(op.op);
    if (!def.gradient) continue;
    std::vector<ValueId> result_grads;
    bool any = false;
    for (ValueId result : op.results) {
      const bool known = result.at() < grads.size();
      result_grads.push_back(known && active[result.at()] ? grads[result.at()] : ValueId{});
      any = any || result_grads.back().valid();
    }
    if (!any) continue;

    build.origin = op.origin;
    build.origin.phase = Phase::backward;
    const ops::Gradients found = def.gradient({build, op, result_grads});
    for (std::size_t k = 0; k < found.size(); ++k) {
      const ValueId operand = op.operands[k];
      if (!found[k].valid() || !active[operand.at()]) continue;
      ValueId& sum = grads[operand.at()];
      sum = sum.valid() ? build.binary("add", sum, found[k]) : found[k];
    }
  }
  std::vector<ValueId> result;
  for (ValueId id : wanted) result.push_back(grads[id.at()]);
  return result;
}

}  // namespace mtfc::lowering
