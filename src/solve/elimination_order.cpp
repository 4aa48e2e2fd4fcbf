#include "solve/elimination_order.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace mtfc::solve {
namespace {

constexpr double hopeless = 60;  // neighbours, beyond which no table is small

class Ordering {
 public:
  explicit Ordering(const Core& core) : near_(core.size()) {
    for (const CoreEdge& edge : core.edges) {
      near_[edge.a].insert(edge.b);
      near_[edge.b].insert(edge.a);
    }
    for (const std::uint32_t labels : core.labels) weight_.push_back(std::log2(labels));
  }

  Order run() {
    std::set<std::pair<double, std::uint32_t>> queue;
    std::vector<double> key(near_.size());
    for (std::uint32_t i = 0; i < near_.size(); ++i) queue.emplace(key[i] = fill(i), i);
    while (!queue.empty()) {
      const std::uint32_t i = queue.begin()->second;
      queue.erase(queue.begin());
      if (near_[i].size() > hopeless) return {{}, never, never};
      std::set<std::uint32_t> touched = near_[i];
      for (const std::uint32_t j : near_[i]) touched.insert(near_[j].begin(), near_[j].end());
      touched.erase(i);
      eliminate(i);
      for (const std::uint32_t j : touched) {
        queue.erase({key[j], j});
        queue.emplace(key[j] = fill(j), j);
      }
    }
    return std::move(order_);
  }

 private:
  double size(std::uint32_t i) const {
    double size = weight_[i];
    for (const std::uint32_t j : near_[i]) size += weight_[j];
    return size;
  }

  double fill(std::uint32_t i) const {
    if (near_[i].size() > hopeless) return 1e12 * static_cast<double>(near_[i].size());
    double joined = 0;
    for (const std::uint32_t j : near_[i])
      for (const std::uint32_t k : near_[i])
        if (j < k && !near_[j].contains(k)) joined += weight_[j] * weight_[k];
    return 1000 * joined + size(i);
  }

  void eliminate(std::uint32_t i) {
    const double entries = std::exp2(size(i));
    order_.largest = std::max(order_.largest, entries);
    order_.total += entries;
    order_.nodes.push_back(i);
    for (const std::uint32_t j : near_[i]) {
      near_[j].erase(i);
      for (const std::uint32_t k : near_[i])
        if (j != k) near_[j].insert(k);
    }
  }

  std::vector<std::set<std::uint32_t>> near_;
  std::vector<double> weight_;
  Order order_;
};

}  // namespace

Order order_of(const Core& core) { return Ordering(core).run(); }

}  // namespace mtfc::solve
