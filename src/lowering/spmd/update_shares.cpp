#include "lowering/spmd/update_shares.h"

#include <algorithm>

#include "layout/assign.h"
#include "layout/partial_sums.h"
#include "ops/op.h"
#include "support/rounding.h"

namespace mtfc::lowering {

namespace {

/// One dimension while axes are given to it.
struct Extent {
  DimId dim;
  std::int64_t whole = 1;   // what one processor has of it before
  std::int64_t block = 1;   // what one gets
  std::int64_t blocks = 1;  // of how many
  bool may_pad = false;

  bool padded() const { return block * blocks != whole; }
};

bool is_exact(const std::vector<Extent>& extents) {
  return std::all_of(extents.begin(), extents.end(), [](const Extent& e) { return !e.padded(); });
}

/// Which dimension takes which axis: all ways are tried, up to a bound for meshes of very many
/// axes.
class ShareSplit {
 public:
  using Splits = std::vector<std::pair<DimId, AxisId>>;

  ShareSplit(const Mesh& mesh, const std::vector<AxisId>& axes, std::vector<Extent> extents)
      : mesh_(mesh), axes_(axes), extents_(std::move(extents)) {
    for (AxisId axis : axes) possible_ *= mesh.size(axis);
    most_elements_ = 2 * elements() - 1;
    best_elements_ = elements();
    assign(0, 1);
  }

  const Splits& splits() const { return best_; }
  /// The extents after it.
  const std::vector<Extent>& extents() const { return best_extents_; }

 private:
  std::int64_t elements() const {
    std::int64_t product = 1;
    for (const Extent& e : extents_) product *= e.block * e.blocks;
    return product;
  }
  /// True once it cannot get better.
  bool assign(std::size_t i, std::int64_t parts) {
    if (i == axes_.size()) {
      const std::int64_t now = elements();
      if (now <= most_elements_ &&
          (parts > most_ || (parts == most_ && parts > 1 && now < best_elements_))) {
        most_ = parts, best_ = now_, best_extents_ = extents_, best_elements_ = now;
      }
      return (most_ == possible_ && is_exact(best_extents_)) || --tries_ <= 0;
    }
    const std::int64_t size = mesh_.size(axes_[i]);
    for (Extent& e : extents_) {
      if (e.block % size != 0 && !e.may_pad) continue;
      const Extent before = e;
      e.block = ceil_div(e.block, size);
      e.blocks *= size;
      now_.emplace_back(e.dim, axes_[i]);
      const bool done = assign(i + 1, parts * size);
      now_.pop_back();
      e = before;
      if (done) return true;
    }
    return assign(i + 1, parts);
  }
  const Mesh& mesh_;
  const std::vector<AxisId>& axes_;
  std::vector<Extent> extents_, best_extents_;
  Splits now_, best_;
  std::int64_t most_ = 1, possible_ = 1, most_elements_ = 1, best_elements_ = 1;
  int tries_ = 10'000;
};

class Sharer {
 public:
  Sharer(const Graph& graph, const GraphContext& context,
         const std::set<std::string>& read_elsewhere)
      : graph_(graph),
        context_(context),
        read_elsewhere_(read_elsewhere),
        partial_(find_partial_sums(graph, context)),
        users_(graph.values.size()) {
    for (const Operation& op : graph.ops)
      for (ValueId operand : op.operands) users_[operand.at()].push_back(&op);
  }

  std::vector<UpdateShare> run(bool shard_replicas) const {
    std::vector<UpdateShare> shares;
    for (const ParameterUpdate& update : graph_.updates) {
      UpdateShare share;
      share.path = update.parameter;
      share.type = context_.variables.at(update.parameter).type.tensor;
      share.gradient = update.gradient;
      share.states = {update.states.begin(), update.states.end()};
      // A part of a stage that writes the parameter may not have made its gradient.
      const bool is_kept = keep(share);
      std::set<AxisId> sums;
      const bool is_sum =
          share.gradient.valid() && collect_sums(share.gradient, share, sums) && is_apart(share);
      if (!is_sum) share.above.clear();
      const bool is_cut = is_sum && shard_replicas && cut(share, sums);
      if (is_kept || is_cut) shares.push_back(std::move(share));
    }
    std::sort(shares.begin(), shares.end(),
              [](const UpdateShare& a, const UpdateShare& b) { return a.path < b.path; });
    return shares;
  }

 private:
  /// What a scope says; false if none keeps the parameter otherwise than the general rules do.
  bool keep(UpdateShare& share) const {
    const auto kept = context_.assignment.kept.find(share.path);
    if (kept == context_.assignment.kept.end()) return false;
    const Sharding general = sharding_of(share.type.dims, context_.assignment);
    for (std::size_t i = 0; i < share.type.dims.size(); ++i) {
      const std::vector<AxisId>& axes = kept->second.sharding.split[i];
      if (axes != general.split[i]) share.kept[share.type.dims[i]] = axes;
    }
    return true;
  }
  const std::vector<AxisId>& axes(const UpdateShare& share, DimId dim) const {
    const auto kept = share.kept.find(dim);
    return kept == share.kept.end() ? context_.assignment.axes(dim) : kept->second;
  }

  bool cut(UpdateShare& share, const std::set<AxisId>& sums) const {
    std::vector<AxisId> axes(sums.begin(), sums.end());
    // What is cut along an axis after its sum has no replicas there.
    for (DimId dim : share.type.dims)
      for (AxisId axis : this->axes(share, dim)) std::erase(axes, axis);
    if (axes.empty()) return false;
    const ShareSplit cut(context_.assignment.mesh, axes, extents(share));
    share.splits = cut.splits();
    for (const Extent& e : cut.extents())
      if (e.padded()) share.padded[e.dim] = e.block * e.blocks;
    return !share.splits.empty();
  }

  /// Whether a value is a sum over replicas, or is made of some by what is in `share.above` then.
  bool collect_sums(ValueId value, UpdateShare& share, std::set<AxisId>& axes) const {
    const std::vector<AxisId>& partial = partial_[value.at()].made.axes;
    axes.insert(partial.begin(), partial.end());
    if (!partial.empty()) return true;
    const Operation& op = graph_.producer(value);
    if (op.role.kind != StepRole::Kind::gradient || !ops::op_of(op).scalar) return false;
    bool any = false;
    for (ValueId operand : op.operands)
      if (same_set(graph_.at(operand).type.dims, share.type.dims))
        any = collect_sums(operand, share, axes) || any;
    if (any) share.above.insert(value);
    return any;
  }
  /// Nothing else needs what would be made on the shards.
  bool is_apart(const UpdateShare& share) const {
    return std::none_of(share.above.begin(), share.above.end(), [&](ValueId value) {
      const std::vector<const Operation*>& users = users_[value.at()];
      return std::any_of(users.begin(), users.end(), [&](const Operation* op) {
        return op->role.kind != StepRole::Kind::update && !share.above.contains(op->results[0]);
      });
    });
  }

  std::vector<Extent> extents(const UpdateShare& share) const {
    const bool may_pad =
        std::none_of(share.states.begin(), share.states.end(),
                     [&](const std::string& state) { return read_elsewhere_.contains(state); });
    std::vector<Extent> all;
    for (DimId dim : share.type.dims) {
      Extent e{dim, context_.dims.size(dim), 0, 1, may_pad && axes(share, dim).empty()};
      e.whole /= context_.assignment.mesh.size(axes(share, dim));
      e.block = e.whole;
      all.push_back(e);
    }
    return all;
  }

  const Graph& graph_;
  const GraphContext& context_;
  const std::set<std::string>& read_elsewhere_;
  std::vector<PartialSum> partial_;
  std::vector<std::vector<const Operation*>> users_;  // by value
};

}  // namespace

std::vector<UpdateShare> share_out_update(const Graph& graph, const GraphContext& context,
                                          bool shard_replicas,
                                          const std::set<std::string>& read_elsewhere) {
  return Sharer(graph, context, read_elsewhere).run(shard_replicas);
}

bool belongs(const Operation& op, const UpdateShare& share, const std::set<ValueId>& on_shards) {
  if (share.above.contains(op.results[0])) return true;
  if (op.role.kind != StepRole::Kind::update) return false;
  if (op.role.parameter == share.path) return true;
  return op.role.parameter.empty() &&
         std::any_of(op.operands.begin(), op.operands.end(),
                     [&](ValueId operand) { return on_shards.contains(operand); });
}

}  // namespace mtfc::lowering
