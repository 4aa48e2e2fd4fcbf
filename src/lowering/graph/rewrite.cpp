#include "lowering/graph/rewrite.h"

namespace mtfc::lowering {

ValueId Copier::copy(ValueId id) {
  if (!id.valid() || map_[id.at()].valid()) return id.valid() ? map_[id.at()] : id;
  // Iterative: chains of operations are long.
  std::vector<OpId> stack{from_.at(id).producer};
  while (!stack.empty()) {
    const Operation& op = from_.at(stack.back());
    if (map_[op.results[0].at()].valid()) {
      stack.pop_back();
      continue;
    }
    bool ready = true;
    for (ValueId operand : op.operands) {
      if (!map_[operand.at()].valid()) {
        stack.push_back(from_.at(operand).producer);
        ready = false;
      }
    }
    if (!ready) continue;
    copy_operation(op);
    stack.pop_back();
  }
  return map_[id.at()];
}

void carry_over(const Graph& from, Graph& to, const std::function<ValueId(ValueId)>& now) {
  for (const Output& output : from.outputs)
    to.outputs.push_back({output.kind, output.name, now(output.value)});
  to.updates = from.updates;
  for (ParameterUpdate& update : to.updates)
    if (update.gradient.valid()) update.gradient = now(update.gradient);
}

void Copier::copy_operation(const Operation& op) {
  std::vector<ValueId> operands = op.operands;
  for (ValueId& operand : operands) operand = map_[operand.at()];
  const std::vector<ValueId> results = to_.copy(from_, op, std::move(operands));
  for (std::size_t i = 0; i < results.size(); ++i) map_[op.results[i].at()] = results[i];
}

void Copier::copy_all(const std::function<ValueId(const Operation&)>& instead) {
  for (const Operation& op : from_.ops) {
    to_.follow(op);
    ValueId made = instead(op);
    if (!made.valid()) {
      copy_operation(op);
      continue;
    }
    const Value& old = from_.at(op.results[0]);
    made = to_.broadcast(made, old.type.dims);
    to_.set_name(made, old.name);
    replace(op.results[0], made);
  }
  carry_over(from_, to_.graph(), [this](ValueId old) { return copy(old); });
}

std::vector<bool> needed_operations(const Graph& graph) {
  std::vector<bool> needed(graph.ops.size());
  std::vector<OpId> stack;
  auto want = [&](ValueId id) {
    const OpId producer = graph.at(id).producer;
    if (!producer.valid() || needed[producer.at()]) return;
    needed[producer.at()] = true;
    stack.push_back(producer);
  };
  for (const Output& output : graph.outputs) want(output.value);
  while (!stack.empty()) {
    const Operation& op = graph.at(stack.back());
    stack.pop_back();
    for (ValueId operand : op.operands) want(operand);
  }
  return needed;
}

}  // namespace mtfc::lowering
