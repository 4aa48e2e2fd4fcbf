#include "solve/restrict.h"

#include "solve/settle.h"

namespace mtfc::solve {

std::vector<double> price_in(const Core& core, const std::vector<double>& price) {
  if (price.empty()) return {};
  std::vector<double> mine(core.moments(), 0.0);
  for (std::size_t t = 0; t < price.size(); ++t)
    if (core.stretch[t] < mine.size()) mine[core.stretch[t]] += price[t];
  return mine;
}

std::vector<double> price_of(const Core& core, const std::vector<double>& price,
                             std::size_t moments) {
  std::vector<double> all(moments, 0.0);
  for (std::size_t t = 0; t < price.size(); ++t) all[core.moment[t]] = price[t];
  return all;
}

std::size_t drop_labels(const Core& core, Network& network,
                        const std::function<bool(std::size_t)>& drop) {
  std::size_t dropped = 0;
  for (std::size_t i = 0; i < core.size(); ++i) {
    std::vector<std::size_t> kept;
    for (std::size_t s = 0; s < core.labels[i]; ++s)
      if (!drop(core.offset[i] + s)) kept.push_back(s);
    if (kept.size() == core.labels[i]) continue;
    dropped += core.labels[i] - kept.size();
    keep_labels(network, core.node[i], kept);
    if (kept.empty()) network.possible = false;
  }
  return dropped;
}

Labels labels_of(const Core& core, const Network& network, const std::vector<int>& strategies) {
  Labels labels(core.size(), 0);
  for (std::size_t i = 0; i < core.size(); ++i) {
    const NetworkNode& node = network.nodes[core.node[i]];
    std::size_t most = 0;
    for (std::size_t s = 0; s < node.labels(); ++s) {
      std::size_t agreeing = 0;
      for (const Member& member : node.members)
        if (strategies[member.node] == member.strategy[s]) ++agreeing;
      if (agreeing > most) most = agreeing, labels[i] = static_cast<int>(s);
    }
  }
  return labels;
}

}  // namespace mtfc::solve
