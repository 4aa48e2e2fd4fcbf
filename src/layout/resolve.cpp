#include "layout/resolve.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ops/op.h"
#include "support/collective_traffic.h"

namespace mtfc::lowering {

namespace {

using Axes = std::vector<AxisId>;

const Moves& no_moves() {
  static const Moves none;
  return none;
}

/// The splits that an operation demands of its operands and gives its result, index by index.
class Alignment {
 public:
  Alignment(const OpForm& op, const std::vector<const Sharding*>& operands, Sharding result,
            const std::vector<Wanted::Summed>& summed)
      : op_(op), summed_(summed), made(std::move(result)) {
    demanded.reserve(operands.size());
    for (const Sharding* sharding : operands) demanded.push_back(*sharding);
    for (const ops::Factor& factor : op.factors.list)
      if (factor.role == ops::Role::reduced) leave_to(factor);
    for (const ops::Factor& factor : op.factors.list) align_result(factor);
    for (const ops::Factor& factor : op.factors.list) {
      if (factor.role == ops::Role::reduced) agree(factor);
      // What is indexed stays split, but not over an axis that splits the result: a processor would
      // need the others' positions too.
      if (factor.role == ops::Role::indexed) keep_own(factor);
    }
  }

 private:
  const OpForm& op_;
  const std::vector<Wanted::Summed>& summed_;

 public:
  Sharding made;
  std::vector<Sharding> demanded;
  std::vector<Clash> clashes;

 private:
  Axes& split_of_operand(std::size_t k, DimId dim) {
    const int at = position(op_.operands[k].dims, dim);
    return demanded[k].split[static_cast<std::size_t>(at)];
  }

  /// An axis over which all operands split a summed index stays with it: each processor sums its
  /// part, and the result is moved.
  void leave_to(const ops::Factor& summed) {
    const Axes* held = nullptr;
    DimId dim;
    for (std::size_t k = 0; k < demanded.size(); ++k) {
      if (!summed.operands[k].valid()) continue;
      const Axes& axes = split_of_operand(k, summed.operands[k]);
      if (held && axes != *held) return;
      held = &axes, dim = summed.operands[k];
    }
    if (!held) return;
    for (std::size_t i = 0; i < made.split.size(); ++i)
      std::erase_if(made.split[i], [&](AxisId axis) {
        if (std::find(held->begin(), held->end(), axis) == held->end()) return false;
        clashes.push_back({op_.result.dims[i], dim, axis});
        return true;
      });
  }

  void align_result(const ops::Factor& factor) {
    if (factor.role == ops::Role::regrouped) return;
    Axes none;
    const bool replicated = factor.role == ops::Role::replicated;
    Axes* axes = &none;
    if (factor.result.valid()) {
      const int at = position(op_.result.dims, factor.result);
      axes = &made.split[static_cast<std::size_t>(at)];
      if (replicated) axes->clear();
      take(*axes, factor, factor.result);
    }
    if (replicated || factor.role == ops::Role::parallel)
      for (std::size_t k = 0; k < demanded.size(); ++k)
        if (factor.operands[k].valid()) split_of_operand(k, factor.operands[k]) = *axes;
  }

  /// Along a summed index all operands are split alike: as the one that is split most, or more if
  /// that is wanted.
  void agree(const ops::Factor& factor) {
    const Axes* most = nullptr;
    DimId dim;
    for (std::size_t k = 0; k < demanded.size(); ++k) {
      if (!factor.operands[k].valid()) continue;
      const Axes& axes = split_of_operand(k, factor.operands[k]);
      if (!most || axes.size() > most->size()) most = &axes, dim = factor.operands[k];
    }
    if (!most) return;
    for (const Wanted::Summed& rule : summed_)
      if (rule.dim == dim && rule.axes.size() > most->size()) most = &rule.axes;
    Axes agreed = *most;
    take(agreed, factor, dim);
    for (std::size_t k = 0; k < demanded.size(); ++k)
      if (factor.operands[k].valid()) split_of_operand(k, factor.operands[k]) = agreed;
  }

  void keep_own(const ops::Factor& factor) {
    for (std::size_t k = 0; k < demanded.size(); ++k)
      if (factor.operands[k].valid())
        take(split_of_operand(k, factor.operands[k]), factor, factor.operands[k]);
  }

  /// An axis that another index has is given up.
  void take(Axes& axes, const ops::Factor& index, DimId dim) {
    std::erase_if(axes, [&](AxisId axis) {
      for (std::size_t i = 0; i < count_; ++i) {
        if (owners_[i].axis != axis) continue;
        if (owners_[i].index == &index) return false;
        clashes.push_back({owners_[i].dim, dim, axis});
        return true;
      }
      if (count_ < owners_.size()) owners_[count_++] = {axis, &index, dim};
      return false;
    });
  }

  struct Owner {
    AxisId axis;
    const ops::Factor* index = nullptr;
    DimId dim;
  };
  std::array<Owner, 32> owners_;  // a mesh has at most 30 axes that split
  std::size_t count_ = 0;
};

class OpResolver {
 public:
  OpResolver(MoveTable& table, const OpForm& op, const std::vector<const Sharding*>& operands,
             const Wanted& wanted)
      : table_(table), op_(op), given_(operands), wanted_(wanted) {}

  Resolved run() {
    const Sharding& result = op_.kept ? *op_.kept : wanted_.sharding;
    make(result);
    if (!wanted_.may_move || op_.kept || answer_.sent_bytes == 0 || is_view())
      return std::move(answer_);
    const Sharding natural = natural_result();
    if (natural.split == wanted_.sharding.split) return std::move(answer_);
    Resolved wished = std::exchange(answer_, {});
    make(natural);
    const bool better = weights_stay() && answer_.sent_bytes < wished.sent_bytes;
    return better ? std::move(answer_) : std::move(wished);
  }

 private:
  bool is_view() const { return op_.local && std::holds_alternative<Rearrange>(*op_.local); }

  bool weights_stay() const {
    for (const std::size_t weight : wanted_.weights)
      if (answer_.operands[weight].moves->messages > 0) return false;
    return true;
  }

  /// Each index of the result split as the operands that have it are: as the one that is split
  /// most.
  Sharding natural_result() const {
    Sharding natural = wanted_.sharding;
    for (const ops::Factor& factor : op_.factors.list) {
      if (factor.role != ops::Role::parallel || !factor.result.valid()) continue;
      const Axes* most = nullptr;
      for (std::size_t k = 0; k < given_.size(); ++k) {
        if (!factor.operands[k].valid()) continue;
        const int at = position(op_.operands[k].dims, factor.operands[k]);
        const Axes& axes = given_[k]->split[static_cast<std::size_t>(at)];
        if (!most || axes.size() > most->size()) most = &axes;
      }
      const int at = position(op_.result.dims, factor.result);
      if (most) natural.split[static_cast<std::size_t>(at)] = *most;
    }
    return natural;
  }

  void make(const Sharding& result) {
    Alignment aligned(op_, given_, {result.split, {}, {}}, wanted_.summed);
    answer_.operands.resize(given_.size());
    for (std::size_t k = 0; k < given_.size(); ++k)
      answer_.operands[k] = {std::move(aligned.demanded[k]), false, &no_moves()};
    answer_.made = std::move(aligned.made);
    answer_.clashes = std::move(aligned.clashes);
    const Rearrange* view = op_.local ? std::get_if<Rearrange>(&*op_.local) : nullptr;
    if (view)
      look_through(*view);
    else
      for (std::size_t k = 0; k < given_.size(); ++k) move_operand(k);
    make_partial();
    finish(view);
  }

  // --- what moves before
  void complete(const TensorType& type, Sharding& sharding) {
    std::int64_t processors = 1;
    for (AxisId axis : sharding.partial) processors *= table_.mesh().size(axis);
    const std::int64_t shard = shard_elements(table_.dims(), table_.mesh(), {type, sharding});
    send(static_cast<double>(all_reduce_sent(shard, processors)), type);
    sharding.partial.clear();
  }
  void send(double elements, const TensorType& type) {
    answer_.sent_bytes += elements * static_cast<double>(size_of(type.dtype));
  }
  /// A partial value is not sent around.
  void complete_operand(std::size_t k) {
    Resolved::Operand& operand = answer_.operands[k];
    if (operand.completed || !given_[k]->is_partial()) return;
    operand.completed = true;
    Sharding before = *given_[k];
    complete(op_.operands[k], before);
    operand.sharding.partial.clear();
  }

  void move_operand(std::size_t k) {
    Resolved::Operand& operand = answer_.operands[k];
    if (operand.sharding.split == given_[k]->split) return;
    complete_operand(k);
    Sharding from{given_[k]->split, {}, {}};
    operand.moves = &table_.between(op_.operands[k].dims, from, operand.sharding);
    send(operand.moves->elements, op_.operands[k]);
  }

  void look_through(const Rearrange& view) {
    Resolved::Operand& operand = answer_.operands[0];
    operand.sharding = *given_[0];
    const auto around = [&]() -> const MoveTable::AroundView& {
      return table_.around(view.groups, op_.operands[0].dims, operand.sharding, op_.result.dims,
                           wanted_.sharding);
    };
    const MoveTable::AroundView* found = &around();
    const bool moves = !found->before.steps.empty() || !found->after.steps.empty();
    if (moves && given_[0]->is_partial()) {
      complete_operand(0);
      found = &around();
    }
    operand.moves = &found->before;
    operand.sharding = found->operand;
    answer_.made = found->result;
    answer_.made.partial.clear();
    after_view_ = &found->after;
    send(found->before.elements, op_.result);
  }

  // --- what is made, and what moves after
  void make_partial() {
    if (!op_.local) return;
    if (op_.kept) {
      answer_.made.partial = op_.kept->partial;
      answer_.made.combine = op_.kept->combine;
      return;
    }
    if (nothing_to_sum()) return;
    auto partial = partial_of(*op_.local, ShardTypes(types()));
    // A partial value is not cut along an axis over which it is to be summed.
    if (!partial || cuts(partial->axes)) {
      for (std::size_t k = 0; k < given_.size(); ++k) complete_operand(k);
      partial = partial_of(*op_.local, ShardTypes(types()));
    }
    if (!partial) return;
    answer_.made.partial = std::move(partial->axes);
    answer_.made.combine = partial->combine;
  }
  /// Complete operands, whose axes all split the result as well: the common case, told quickly.
  bool nothing_to_sum() const {
    const auto& made = answer_.made.split;
    for (const Resolved::Operand& operand : answer_.operands) {
      if (operand.sharding.is_partial()) return false;
      for (const Axes& axes : operand.sharding.split)
        for (AxisId axis : axes)
          if (std::none_of(made.begin(), made.end(),
                           [&](const Axes& other) { return contains(other, axis); }))
            return false;
    }
    return true;
  }
  bool cuts(const Axes& partial) const {
    for (const Axes& axes : answer_.made.split)
      for (AxisId axis : axes)
        if (contains(partial, axis)) return true;
    return false;
  }
  std::vector<ShardType> types() const {
    std::vector<ShardType> list;
    list.reserve(given_.size());
    for (std::size_t k = 0; k < given_.size(); ++k)
      list.push_back({op_.operands[k], answer_.operands[k].sharding});
    return list;
  }

  void finish(bool viewed) {
    Sharding here = answer_.made;
    const bool moves = here.split != wanted_.sharding.split;
    if (here.is_partial() && (moves || !wanted_.may_stay_partial)) {
      answer_.completed = true;
      complete(op_.result, here);
    }
    answer_.moves = viewed  ? after_view_
                    : moves ? &table_.between(op_.result.dims, here, wanted_.sharding)
                            : &no_moves();
    send(answer_.moves->elements, op_.result);
    answer_.result = std::move(here);
    answer_.result.split = wanted_.sharding.split;
  }

  MoveTable& table_;
  const OpForm& op_;
  const std::vector<const Sharding*>& given_;
  const Wanted& wanted_;
  Resolved answer_;
  const Moves* after_view_ = nullptr;
};

}  // namespace

OpForm form_of(const Operation& op, const Graph& graph, std::optional<InstructionKind> local) {
  OpForm form;
  form.local = std::move(local);
  form.operands.reserve(op.operands.size());
  form.factors = ops::op_of(op).factors(op, graph);
  for (ValueId id : op.operands) form.operands.push_back(graph.at(id).type);
  form.result = graph.at(op.results[0]).type;
  return form;
}

Resolved resolve(MoveTable& table, const OpForm& op, const std::vector<const Sharding*>& operands,
                 const Wanted& wanted) {
  return OpResolver(table, op, operands, wanted).run();
}

std::vector<Clash> clashes_of(const OpForm& op, const std::vector<const Sharding*>& operands,
                              const Sharding& wanted) {
  return Alignment(op, operands, wanted, {}).clashes;
}

}  // namespace mtfc::lowering
