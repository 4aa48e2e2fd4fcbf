#include "lowering/graph/rematerialize.h"

#include "ops/op.h"

namespace mtfc::lowering {

namespace {

/// Reading costs nothing and is not a computation; literals and random numbers are made in place.
bool is_source(const Operation& op) {
  using ops::Kind;
  const Kind kind = ops::op_of(op).kind;
  return kind == Kind::field || kind == Kind::variable || kind == Kind::counter;
}

}  // namespace

Rematerializer::Rematerializer(ops::Builder& build, const std::vector<int>& parents)
    : build_(build), parents_(parents), copies_(parents.size()) {}

int Rematerializer::tag(ValueId value) const {
  const Operation& op = build_.graph().producer(value);
  const bool on_the_way_back = static_cast<std::size_t>(op.role.recompute) >= parents_.size();
  return is_source(op) || on_the_way_back ? 0 : op.role.recompute;
}

bool Rematerializer::inside(int tag, int region) const {
  while (tag > region) tag = parents_[static_cast<std::size_t>(tag)];  // parents come first
  return tag == region;
}

/// The innermost of `wanted` and the regions around it that holds the value; 0 if none does.
int Rematerializer::region_of(ValueId value, int wanted) const {
  while (wanted != 0 && !inside(tag(value), wanted))
    wanted = parents_[static_cast<std::size_t>(wanted)];
  return wanted;
}

/// What stands for a forward value in a region's backward pass, if it is there already.
ValueId Rematerializer::found(ValueId value, int region) const {
  for (int at = region; at != 0; at = parents_[static_cast<std::size_t>(at)]) {
    const Copies& copies = copies_[static_cast<std::size_t>(at)];
    const auto it = copies.find(value);
    if (it == copies.end()) continue;
    if (at == region || (it->second.at() < kept_.size() && kept_[it->second.at()]))
      return it->second;
  }
  const bool kept = value.at() < kept_.size() && kept_[value.at()];
  return region == 0 || kept ? value : ValueId{};
}

ValueId Rematerializer::value(ValueId wanted, int region) {
  region = region_of(wanted, region);
  if (const ValueId there = found(wanted, region); there.valid()) return there;
  // Iterative: chains of operations are long.
  std::vector<std::pair<ValueId, int>> stack{{wanted, region}};
  while (!stack.empty()) {
    const auto [next, at] = stack.back();
    if (found(next, at).valid()) {
      stack.pop_back();
      continue;
    }
    const Operation op = build_.graph().producer(next);
    bool ready = true;
    for (ValueId operand : op.operands) {
      const int home = region_of(operand, at);
      if (found(operand, home).valid()) continue;
      stack.emplace_back(operand, home);
      ready = false;
    }
    if (!ready) continue;
    copy(op, at);
    stack.pop_back();
  }
  return found(wanted, region);
}

/// Copies an operation whose operands are there.
void Rematerializer::copy(const Operation& op, int region) {
  std::vector<ValueId> operands;
  for (ValueId operand : op.operands) {
    const int home = region_of(operand, region);
    operands.push_back(found(operand, home));
    if (home == region) continue;
    kept_.resize(build_.graph().values.size());
    kept_[operands.back().at()] = true;
  }
  build_.follow(op);
  build_.origin.phase = Phase::recompute;
  build_.role.kind = StepRole::Kind::gradient;
  build_.role.recompute = backward_tag(region);
  build_.role.again = true;
  const std::vector<ValueId> results = build_.apply_many(op.op, std::move(operands), op.attrs);
  for (std::size_t i = 0; i < results.size(); ++i)
    copies_[static_cast<std::size_t>(region)][op.results[i]] = results[i];
}

Operation Rematerializer::rematerialized(const Operation& op) {
  Operation result = op;
  for (auto* values : {&result.operands, &result.results})
    for (ValueId& id : *values) id = value(id, op.role.recompute);
  return result;
}

void Rematerializer::note_uses(std::size_t first) {
  const Graph& graph = build_.graph();
  kept_.resize(graph.values.size());
  for (std::size_t i = first; i < graph.ops.size(); ++i)
    for (ValueId operand : graph.ops[i].operands) kept_[operand.at()] = true;
}

}  // namespace mtfc::lowering
