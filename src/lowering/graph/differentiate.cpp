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
        passed_(build.graph().values.size()),
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
    for (ValueId id : wanted) result.push_back(gradient_of(id));
    return result;
  }

 private:
  /// Parts of a gradient in the same scopes are added as they come, so that partial sums are added
  /// before they are moved.
  void add(ValueId value, ValueId gradient) {
    const std::vector<int> scopes = scopes_of(gradient);
    for (ValueId& sum : grads_[value.at()]) {
      if (scopes_of(sum) != scopes) continue;
      sum = build_.binary("add", sum, gradient);
      set_scopes(sum, scopes);
      return;
    }
    grads_[value.at()].push_back(gradient);
  }

  /// What there is of a value's gradient, added up: split as the value is. What an operation passed
  /// on as it is (a residual connection) comes last: it is complete where products along split
  /// dimensions are partial sums, which are added first and reduced once.
  ValueId gradient_of(ValueId value) {
    std::vector<ValueId>& parts = grads_[value.at()];
    for (std::size_t i = 1; i < parts.size(); ++i) parts[0] = added(value, parts[0], parts[i]);
    for (const ValueId gradient : passed_[value.at()]) {
      if (parts.empty())
        parts.push_back(gradient);
      else
        parts[0] = added(value, gradient, parts[0]);
    }
    if (parts.empty()) return {};
    parts.resize(1);
    passed_[value.at()].clear();
    return parts[0];
  }

  ValueId added(ValueId value, ValueId a, ValueId b) {
    const ValueId sum = build_.binary("add", a, b);
    set_scopes(sum, scopes_of(value));
    return sum;
  }

  const std::vector<int>& scopes_of(ValueId value) {
    return build_.graph().producer(value).role.scopes;
  }
  void set_scopes(ValueId value, std::vector<int> scopes) {
    Graph& graph = build_.graph();
    graph.ops[graph.at(value).producer.at()].role.scopes = std::move(scopes);
  }

  void visit(const Operation& op) {
    const ops::OpDef& def = ops::op_of(op);
    if (!def.gradient) return;
    std::vector<ValueId> result_grads;
    bool any = false;
    for (ValueId result : op.results) {
      result_grads.push_back(active_[result.at()] ? gradient_of(result) : ValueId{});
      any = any || result_grads.back().valid();
    }
    if (!any) return;

    const Operation rematerialized = rematerializer_.rematerialized(op);
    build_.follow(op);
    build_.origin.phase = Phase::backward;
    build_.role.kind = StepRole::Kind::gradient;
    build_.role.recompute = rematerializer_.backward_tag(op.role.recompute);
    build_.role.again = false;
    const std::size_t first = build_.graph().ops.size();
    const ops::Gradients found = def.gradient({build_, rematerialized, result_grads});
    for (std::size_t k = 0; k < found.size(); ++k) {
      const ValueId operand = op.operands[k];
      if (!found[k].valid() || !active_[operand.at()]) continue;
      // A gradient is split as the value is whose gradient it is; of one that is used several times
      // the parts are split as the uses are.
      const bool is_new = build_.graph().at(found[k]).producer.at() >= first;
      if (is_new && uses_[operand.at()] == 1) set_scopes(found[k], scopes_of(operand));
      if (is_new)
        add(operand, found[k]);
      else
        passed_[operand.at()].push_back(found[k]);
    }
    rematerializer_.note_uses(first);
  }

  ops::Builder& build_;
  Rematerializer rematerializer_;
  const std::vector<bool> active_;
  std::vector<std::vector<ValueId>> grads_;   // by value: the parts of its gradient
  std::vector<std::vector<ValueId>> passed_;  // by value: parts that are gradients of others
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
