#include "frontend/elaborate/value_names.h"

namespace mtfc::elab {

void record_name(Context& cx, const std::string& path, ValueId id, bool weak) {
  if (weak) {
    cx.weak_names.emplace_back(path, id);
    return;
  }
  const auto [it, fresh] = cx.strong_index.try_emplace(path, cx.strong_names.size());
  if (fresh)
    cx.strong_names.emplace_back(path, id);
  else
    cx.strong_names[it->second].second = id;
}

void give_names(Context& cx) {
  std::set<std::string> taken;
  for (const auto& [path, id] : cx.strong_names) {
    taken.insert(path);
    if (cx.graph.at(id).name.empty()) {
      cx.build.set_name(id, path);
      continue;
    }
    const TensorType type = cx.build.type(id);
    cx.build.follow(cx.graph.producer(id));
    cx.build.set_name(cx.build.apply("broadcast", {id}, {{"dims", type.dims}}), path);
  }
  for (auto it = cx.weak_names.rbegin(); it != cx.weak_names.rend(); ++it)
    if (taken.insert(it->first).second) cx.build.set_name(it->second, it->first);
}

}  // namespace mtfc::elab
