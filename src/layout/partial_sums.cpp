#include "layout/partial_sums.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <set>
#include <span>

#include "layout/local_view.h"
#include "ops/op.h"

namespace mtfc::lowering {

namespace {

/// Numbers to visit: rounds, each ascending. What is pushed behind the last one popped still
/// belongs to its round.
class Rounds {
 public:
  explicit Rounds(std::size_t size) : waits_(size) {}
  void push(std::size_t number) {
    if (waits_[number]) return;
    waits_[number] = true;
    (number > at_ || !began_ ? now_ : next_).push(number);
  }
  std::optional<std::size_t> pop() {
    if (now_.empty()) std::swap(now_, next_);
    began_ = !now_.empty();
    if (!began_) return std::nullopt;
    at_ = now_.top();
    now_.pop();
    waits_[at_] = false;
    return at_;
  }

 private:
  using Least = std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>>;
  std::vector<bool> waits_;
  Least now_, next_;
  std::size_t at_ = 0;
  bool began_ = false;
};

/// The operations that take a value, ascending: one list for all values.
class Users {
 public:
  explicit Users(const Graph& graph) : begin_(graph.values.size() + 1) {
    each(graph, [&](ValueId id, std::size_t) { ++begin_[id.at() + 1]; });
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    list_.resize(begin_.back());
    std::vector<std::size_t> next = begin_;
    each(graph, [&](ValueId id, std::size_t op) { list_[next[id.at()]++] = op; });
  }
  std::span<const std::size_t> operator[](std::size_t value) const {
    return {list_.data() + begin_[value], begin_[value + 1] - begin_[value]};
  }

 private:
  /// An operation that takes a value twice is one user of it.
  template <class F>
  static void each(const Graph& graph, F&& take) {
    for (std::size_t i = 0; i < graph.ops.size(); ++i) {
      const std::vector<ValueId>& operands = graph.ops[i].operands;
      for (auto at = operands.begin(); at != operands.end(); ++at)
        if (std::find(operands.begin(), at, *at) == at) take(*at, i);
    }
  }

  std::vector<std::size_t> begin_;  // by value
  std::vector<std::size_t> list_;
};

class PartialSumAnalysis {
 public:
  PartialSumAnalysis(const Graph& graph, const GraphContext& context)
      : graph_(graph),
        context_(context),
        users_(graph),
        partial_(graph.values.size()),
        forced_(graph.values.size()),
        accumulated_(graph.values.size()),
        pending_(graph.ops.size()) {
    types_.reserve(graph.values.size());
    for (std::size_t v = 0; v < graph.values.size(); ++v)
      types_.push_back({graph.values[v].type, context.table[v]});
    for (const Output& output : graph.outputs) {
      // A sum over micro-batches that is kept on shards is summed over processors first.
      const bool adds =
          output.kind == Output::Kind::accumulate && !context.assignment.kept.contains(output.name);
      (adds ? accumulated_ : forced_)[output.value.at()] = true;
    }
    kinds_.reserve(graph.ops.size());
    for (const Operation& op : graph.ops) kinds_.push_back(ops::local_instruction(op, graph));
    for (std::size_t i = 0; i < graph.ops.size(); ++i) pending_.push(i);
  }

  std::vector<PartialSum> run() {
    settle();
    complete_forks();
    for (std::size_t v = 0; v < partial_.size(); ++v) {
      partial_[v].stays = !partial_[v].made.axes.empty() && !forced_[v];
    }
    return std::move(partial_);
  }

 private:
  void settle() {
    while (const std::optional<std::size_t> number = pending_.pop())
      visit(graph_.ops[*number], kinds_[*number]);
  }

  void changed(ValueId id) {
    for (const std::size_t user : users_[id.at()]) pending_.push(user);
  }

  /// A partial value with several uses may be completed several times further on (the gradient of a
  /// layer norm's result: in its scale, its shift, its mean). If completing it at once saves at
  /// least two such sums that are together as large, that is fewer messages and no more elements.
  void complete_forks() {
    for (std::size_t v = 0; v < graph_.values.size(); ++v) {
      const ValueId id{static_cast<std::int32_t>(v)};
      if (!is_partial(id) || users_[v].size() < 2) continue;
      const Saved saved = saved_by(id);
      if (saved.sums < 2 || saved.elements < elements_of(id)) continue;
      force(id);
      settle();
    }
  }

  struct Saved {
    int sums = 0;
    std::int64_t elements = 0;
  };

  /// The sums further on that would not be needed if `root` were complete.
  Saved saved_by(ValueId root) const {
    Saved saved;
    std::set<std::size_t> complete = {root.at()};  // values that would be complete as well
    std::set<std::size_t> next(users_[root.at()].begin(), users_[root.at()].end());
    while (!next.empty()) {
      const std::size_t number = *next.begin();
      next.erase(next.begin());
      const Operation& op = graph_.ops[number];
      const ValueId result = op.results[0];
      if (partial_[result.at()].made.axes.empty()) continue;
      std::vector<ShardType> types;
      for (ValueId id : op.operands) {
        types.push_back(types_[id.at()]);
        if (complete.contains(id.at())) types.back().sharding.partial.clear();
      }
      const auto made = partial_of(kinds_[number], ShardTypes(types));
      if (!made || !made->axes.empty()) continue;
      if (forced_[result.at()]) {
        ++saved.sums;
        saved.elements += elements_of(result);
        continue;
      }
      complete.insert(result.at());
      next.insert(users_[result.at()].begin(), users_[result.at()].end());
    }
    return saved;
  }

  bool is_partial(ValueId id) const {
    return !forced_[id.at()] && !partial_[id.at()].made.axes.empty();
  }

  /// What its users see of a value.
  void show(ValueId id) {
    Sharding& sharding = types_[id.at()].sharding;
    const PartialAxes& made = partial_[id.at()].made;
    sharding.partial = forced_[id.at()] ? std::vector<AxisId>() : made.axes;
    sharding.combine = forced_[id.at()] ? Combine::sum : made.combine;
  }

  void force(ValueId id) {
    if (forced_[id.at()] || partial_[id.at()].made.axes.empty()) return;
    forced_[id.at()] = true;
    show(id);
    changed(id);
  }

  std::int64_t elements_of(ValueId id) const {
    return shard_elements(context_.dims, context_.assignment.mesh, types_[id.at()]);
  }

  bool takes(const Operation& op, const InstructionKind& kind, const ShardTypes& types) const {
    bool any = false;
    for (const ShardType& type : types) any = any || type.sharding.is_partial();
    if (!any) return true;
    if (!partial_of(kind, types)) return false;
    // The optimiser sees complete gradients: their sums belong to the lines that they come from.
    if (op.role.kind == StepRole::Kind::update) return false;
    // A product may be summed before or after; before is never larger.
    if (std::holds_alternative<Contract>(kind) || std::holds_alternative<Gather>(kind) ||
        std::holds_alternative<ScatterAdd>(kind) || std::holds_alternative<WindowAdd>(kind)) {
      return false;
    }
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (!types[i].sharding.is_partial()) continue;
      if (elements_of(op.results[0]) > elements_of(op.operands[i])) return false;
      // It would be cut along an axis over which it is still to be summed.
      if (splits_over(op.results[0], types[i].sharding.partial)) return false;
    }
    return moves_nothing(op, kind, types);
  }

  /// Whether a value's own split is over one of the axes.
  bool splits_over(ValueId id, const std::vector<AxisId>& axes) const {
    for (const std::vector<AxisId>& split : context_.table[id.at()].split)
      for (AxisId axis : split)
        if (std::find(axes.begin(), axes.end(), axis) != axes.end()) return true;
    return false;
  }

  /// A partial value is not sent around.
  bool moves_nothing(const Operation& op, const InstructionKind& kind,
                     const ShardTypes& types) const {
    if (const auto* r = std::get_if<Rearrange>(&kind)) {
      const LocalView view =
          local_view(context_.assignment.mesh, context_.dims, r->groups, types[0].tensor.dims,
                     graph_.at(op.results[0]).type.dims, types[0].sharding);
      return view.operand == types[0].sharding &&
             view.result.split == context_.table[op.results[0].at()].split;
    }
    return !std::holds_alternative<Slice>(kind) && !std::holds_alternative<Pad>(kind);
  }

  void visit(const Operation& op, const InstructionKind& kind) {
    ShardTypes types;
    for (ValueId id : op.operands) types.push_back(types_[id.at()]);
    if (!takes(op, kind, types))
      for (ValueId id : op.operands)
        if (is_partial(id)) force(id);
    const auto made = partial_of_result(kind, types, context_);
    // What is cut along an axis afterwards is completed first.
    const ValueId result = op.results[0];
    if (made && splits_over(result, made->axes)) forced_[result.at()] = true;
    PartialAxes& slot = partial_[result.at()].made;
    const bool differs = made && (made->axes != slot.axes || made->combine != slot.combine);
    if (differs) slot = *made;
    show(result);
    if (differs) changed(result);
    if (accumulated_[result.at()] && slot.combine != Combine::sum) force(result);
  }

  const Graph& graph_;
  const GraphContext& context_;
  std::vector<InstructionKind> kinds_;
  std::vector<ShardType> types_;  // by value: as its users see it
  Users users_;
  std::vector<PartialSum> partial_;
  std::vector<bool> forced_;
  std::vector<bool> accumulated_;  // added to a variable, which may be a partial sum
  Rounds pending_;                 // operations whose operands have changed since their visit
};

}  // namespace

std::optional<PartialAxes> partial_of_result(const InstructionKind& kind,
                                             const ShardTypes& operands,
                                             const GraphContext& context) {
  const auto* read = std::get_if<Read>(&kind);
  if (!read) return partial_of(kind, operands);
  const Sharding& home = context.variables.at(read->variable).type.sharding;
  return PartialAxes{home.partial, home.combine};
}

std::vector<PartialSum> find_partial_sums(const Graph& graph, const GraphContext& context) {
  return PartialSumAnalysis(graph, context).run();
}

}  // namespace mtfc::lowering
