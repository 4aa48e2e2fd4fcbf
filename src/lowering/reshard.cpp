#include "lowering/reshard.h"

#include <algorithm>

#include "support/check.h"

namespace mtfc::lowering {

namespace {

using Axes = std::vector<AxisId>;

bool is_prefix(const Axes& part, const Axes& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

/// One greedy choice, in order of cost: slice (free), all-to-all, permute, all-gather.
class Stepper {
 public:
  Stepper(const Mesh& mesh, const DimList& dims, const Sharding& from, const Sharding& to)
      : mesh_(mesh), dims_(dims), now_(from.split), to_(to.split) {}

  bool done() const { return now_ == to_; }

  ReshardStep next() const {
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      if (wants(d) && !in_use(wanted(d))) return Shard{dims_[d], wanted(d)};
    }
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      if (!gives(d)) continue;
      for (std::size_t e = 0; e < dims_.size(); ++e) {
        if (e != d && wants(e) && wanted(e) == now_[d].back()) {
          return AllToAll{dims_[d], dims_[e], now_[d].back()};
        }
      }
    }
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      if (!gives(d)) continue;
      Axes rest = now_[d];
      const AxisId from = rest.back();
      rest.pop_back();
      if (!is_prefix(rest, to_[d]) || rest.size() == to_[d].size()) continue;
      const AxisId to = to_[d][rest.size()];
      if (!in_use(to) && mesh_.size(to) == mesh_.size(from)) return Permute{dims_[d], from, to};
    }
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      if (gives(d)) return AllGather{dims_[d], now_[d].back()};
    }
    MTFC_CHECK(false, "no step leads to the wanted sharding");
    return AllGather{};
  }

 private:
  bool wants(std::size_t d) const {
    return now_[d].size() < to_[d].size() && is_prefix(now_[d], to_[d]);
  }
  AxisId wanted(std::size_t d) const { return to_[d][now_[d].size()]; }
  bool gives(std::size_t d) const { return !now_[d].empty() && !is_prefix(now_[d], to_[d]); }
  bool in_use(AxisId axis) const {
    for (const Axes& axes : now_) {
      if (std::find(axes.begin(), axes.end(), axis) != axes.end()) return true;
    }
    return false;
  }

  const Mesh& mesh_;
  const DimList& dims_;
  const std::vector<Axes>& now_;
  const std::vector<Axes>& to_;
};

struct Applied {
  const DimList& dims;
  Sharding& s;
  Axes& split(DimId dim) { return s.split[static_cast<std::size_t>(position(dims, dim))]; }
  void operator()(const Shard& step) { split(step.dim).push_back(step.axis); }
  void operator()(const AllGather& step) { split(step.dim).pop_back(); }
  void operator()(const AllToAll& step) {
    split(step.from).pop_back();
    split(step.to).push_back(step.axis);
  }
  void operator()(const Permute& step) { split(step.dim).back() = step.to; }
};

}  // namespace

Sharding after(const DimList& dims, Sharding sharding, const ReshardStep& step) {
  std::visit(Applied{dims, sharding}, step);
  return sharding;
}

std::vector<ReshardStep> reshard(const Mesh& mesh, const DimList& dims, const Sharding& from,
                                 const Sharding& to) {
  std::vector<ReshardStep> steps;
  Sharding now = from;
  while (!Stepper(mesh, dims, now, to).done()) {
    steps.push_back(Stepper(mesh, dims, now, to).next());
    now = after(dims, std::move(now), steps.back());
  }
  return steps;
}

}  // namespace mtfc::lowering
