// The last word on a finished graph: names of values, parameters that nothing uses.
#include "frontend/elaborate/elaborator.h"

namespace mtfc::elab {

/// The last value recorded for a path gets it. A weak name (a carried one, by its turn) gives way
/// to any other name of the same value.
void Elaborator::record_name(const std::string& path, ValueId id, bool weak) {
  if (weak) {
    weak_names_.emplace_back(path, id);
    return;
  }
  const auto [it, fresh] = strong_index_.try_emplace(path, strong_names_.size());
  if (fresh)
    strong_names_.emplace_back(path, id);
  else
    strong_names_[it->second].second = id;
}

/// Two names of one value (`y = x`): the second one gets a copy, used by nothing else.
void Elaborator::give_names() {
  std::set<std::string> taken;
  for (const auto& [path, id] : strong_names_) {
    taken.insert(path);
    if (graph_.at(id).name.empty()) {
      build_.set_name(id, path);
      continue;
    }
    const TensorType type = build_.type(id);
    build_.origin = graph_.producer(id).origin;
    build_.set_name(build_.apply("broadcast", {id}, {{"dims", type.dims}}), path);
  }
  for (auto it = weak_names_.rbegin(); it != weak_names_.rend(); ++it)
    if (taken.insert(it->first).second) build_.set_name(it->second, it->first);
}

void Elaborator::collect_used() {
  std::vector<bool> used(graph_.values.size());
  for (const Output& output : graph_.outputs) used[output.value.at()] = true;
  for (std::size_t i = graph_.ops.size(); i-- > 0;) {
    const Operation& op = graph_.ops[i];
    // A parameter is read and cast at once: that is no use yet.
    if (op.op == "cast" && !used[op.results[0].at()]) continue;
    for (ValueId id : op.operands) used[id.at()] = true;
  }
  for (const Operation& op : graph_.ops) {
    if (op.op != "read" || !used[op.results[0].at()]) continue;
    const auto it = session_.variables.find(op.attrs.text("variable"));
    if (it != session_.variables.end()) session_.used_variables.insert(it->second);
  }
}

}  // namespace mtfc::elab
