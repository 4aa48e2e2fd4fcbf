// Elementwise values of the forward pass are computed again where the backward pass uses them, from
// what is kept anyway: reading one tensor and a few operations cost less than writing and reading
// several. After Jain et al., "Checkmate" (arXiv 1910.02653), and the recomputation of pointwise
// operations in AOTAutograd's min-cut partitioner; here without a search: chains of maps begin at
// values that something else keeps.
#include <set>
#include <unordered_map>

#include "lowering/program/program_passes.h"

namespace mtfc::lowering {
namespace {

/// Maps in one value's chain: more would cost more than they save, and not fit one fused body.
constexpr std::size_t kLongestChain = 16;
/// An operand that has so many times fewer elements is kept for its sake.
constexpr std::int64_t kSmallOperand = 16;

class Rematerialization {
 public:
  Rematerialization(Program& program, const DimTable& dims)
      : p_(program),
        dims_(dims),
        producer_(program.values.size(), -1),
        crosses_(program.values.size()),
        held_(program.values.size()),
        fate_(program.values.size(), Fate::lost) {}

  void run() {
    find_uses();
    for (const Instruction& at : p_.instructions)
      if (is_forward(at)) judge(at);
    for (std::size_t i = 0; i < p_.instructions.size(); ++i) rewrite(i);
    if (copies_.empty()) return;
    insert();
    prune(p_);  // numbers the values anew, in their order
  }

 private:
  /// What the backward pass finds of a forward value.
  enum class Fate : std::uint8_t {
    lost,
    kept,    // in memory
    source,  // a variable, an input, a constant
    computed_again,
  };

  static bool is_forward(const Instruction& at) { return at.role.kind == StepRole::Kind::model; }
  static bool is_backward(const Instruction& at) {
    return at.role.kind == StepRole::Kind::gradient;
  }
  Fate& fate(ValueId value) { return fate_[value.at()]; }
  bool available(ValueId value) { return fate(value) != Fate::lost; }

  void find_uses() {
    for (std::size_t i = 0; i < p_.instructions.size(); ++i) {
      const Instruction& at = p_.instructions[i];
      for (ValueId result : at.results) producer_[result.at()] = static_cast<int>(i);
      if (is_forward(at)) continue;
      // A `recompute` chose what to keep.
      const bool rewritable =
          std::holds_alternative<Map>(at.kind) && is_backward(at) && at.role.recompute == 0;
      for (ValueId operand : at.operands) (rewritable ? crosses_ : held_)[operand.at()] = true;
    }
  }

  void judge(const Instruction& at) {
    const bool needed = [&] {
      for (ValueId result : at.results)
        if (crosses_[result.at()] || held_[result.at()]) return true;
      return false;
    }();
    const Fate ready = is_source(at)           ? Fate::source
                       : can_rematerialize(at) ? Fate::computed_again
                                               : Fate::lost;
    for (ValueId result : at.results) {
      fate(result) = ready;
      if (ready == Fate::source) continue;
      if (held_[result.at()] || (ready == Fate::lost && crosses_[result.at()]))
        fate(result) = Fate::kept;
    }
    if (ready == Fate::computed_again && needed && fate(at.results[0]) == Fate::computed_again)
      for (ValueId value : chain_) keep_operands(value);
  }

  static bool is_source(const Instruction& at) {
    const auto* map = std::get_if<Map>(&at.kind);
    return at.operands.empty() && (!map || map->random_leaves.empty());
  }

  bool can_rematerialize(const Instruction& at) {
    const auto* map = std::get_if<Map>(&at.kind);
    if (!map || at.results.size() != 1 || at.role.recompute != 0) return false;
    if (!map->random_leaves.empty() || p_.at(at.results[0]).type.sharding.is_partial())
      return false;
    for (const ScalarInstruction& step : map->body.code)
      if (is_dear(step)) return false;
    for (ValueId operand : at.operands)
      if (!available(operand) && !is_small(operand, at.results[0])) return false;
    chain_.clear();
    add_chain(at.results[0]);
    return chain_.size() <= kLongestChain;
  }

  /// The C library's functions of f64 take longer than memory does.
  static bool is_dear(const ScalarInstruction& step) {
    return step.kind == LeafKind::none && step.dtype == DType::f64 && arity(step.op) == 1 &&
           row(step.op).rounding == Rounding::rounds && step.op != ScalarOp::cast;
  }

  /// A statistic that meets a larger tensor: kept instead of that.
  bool is_small(ValueId operand, ValueId result) const {
    const auto elements = [&](ValueId value) {
      std::int64_t count = 1;
      for (DimId dim : p_.at(value).type.tensor.dims) count *= dims_.size(dim);
      return count;
    };
    return elements(operand) <= elements(result) / kSmallOperand;
  }

  /// The values that computing `value` again makes, itself included.
  void add_chain(ValueId value) {
    if (chain_.size() > kLongestChain || !chain_.insert(value).second) return;
    for (ValueId operand : maker(value).operands)
      if (fate(operand) == Fate::computed_again) add_chain(operand);
  }
  void keep_operands(ValueId value) {
    for (ValueId operand : maker(value).operands)
      if (!available(operand)) fate(operand) = Fate::kept;
  }
  const Instruction& maker(ValueId value) const {
    return p_.instructions[static_cast<std::size_t>(producer_[value.at()])];
  }

  void rewrite(std::size_t i) {
    Instruction& at = p_.instructions[i];
    // Maps side by side become one and share what is made again; behind other work it is made anew,
    // rather than kept for it.
    if (!std::holds_alternative<Map>(at.kind)) return near_.clear();
    if (!is_backward(at) || at.role.recompute != 0) return;
    for (ValueId& operand : at.operands) operand = again(operand, i);
  }

  /// What stands for the value in instruction `user`.
  ValueId again(ValueId value, std::size_t user) {
    if (fate(value) != Fate::computed_again) return value;
    if (const auto found = near_.find(value); found != near_.end()) return found->second;
    Instruction copy = maker(value);
    for (ValueId& operand : copy.operands) operand = again(operand, user);
    const ValueId result = next_id<ValueId>(p_.values);
    p_.values.push_back(p_.at(value));
    copy.results = {result};
    copy.origin.phase = Phase::recompute;
    copy.role = p_.instructions[user].role;
    copies_.emplace_back(user, std::move(copy));
    return near_[value] = result;
  }

  /// Each copy in front of the instruction that it was made for.
  void insert() {
    std::vector<Instruction> all;
    all.reserve(p_.instructions.size() + copies_.size());
    auto copy = copies_.begin();
    for (std::size_t i = 0; i < p_.instructions.size(); ++i) {
      for (; copy != copies_.end() && copy->first == i; ++copy)
        all.push_back(std::move(copy->second));
      all.push_back(std::move(p_.instructions[i]));
    }
    p_.instructions = std::move(all);
  }

  Program& p_;
  const DimTable& dims_;
  std::vector<int> producer_;
  std::vector<bool> crosses_;  // by value: read by maps of the backward pass
  std::vector<bool> held_;     // by value: read by something else after the forward pass
  std::vector<Fate> fate_;
  std::set<ValueId> chain_;                                  // of the value at hand
  std::vector<std::pair<std::size_t, Instruction>> copies_;  // with whom they are for, ascending
  std::unordered_map<ValueId, ValueId> near_;                // copies since the last other work
};

}  // namespace

void rematerialize_maps(Program& program, const DimTable& dims) {
  Rematerialization(program, dims).run();
}

}  // namespace mtfc::lowering
