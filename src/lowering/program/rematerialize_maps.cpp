// Elementwise values of the forward pass are computed again where the backward pass uses them, from
// what is kept anyway: reading one tensor and a few operations cost less than writing and reading
// several. After Jain et al., "Checkmate" (arXiv 1910.02653), and the recomputation of pointwise
// operations in AOTAutograd's min-cut partitioner; here without a search: chains of maps begin at
// values that something else keeps.
// Products of the backward pass have their operands computed again, too. They stand behind the maps
// that follow them, with which those operands mostly have their chains in common.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "lowering/program/program_passes.h"

namespace mtfc::lowering {
namespace {

/// Maps in one value's chain: more would cost more than they save, and not fit one fused body.
constexpr std::size_t kLongestChain = 16;
/// Those of a product's operand that no map beside it computes anyway.
constexpr std::size_t kLongestOwnChain = 4;
/// Instructions behind a product among which the next maps begin.
constexpr std::size_t kFarthestMap = 8;
/// An operand that has so many times fewer elements is kept for its sake.
constexpr std::int64_t kSmallOperand = 16;

class Rematerialization {
 public:
  Rematerialization(Program& program, const DimTable& dims)
      : p_(program),
        dims_(dims),
        producer_(program.values.size(), -1),
        crosses_(program.values.size()),
        multiplied_(program.values.size()),
        held_(program.values.size()),
        fate_(program.values.size(), Fate::lost) {}

  void run() {
    find_uses();
    for (const Instruction& at : p_.instructions)
      if (is_forward(at)) judge(at);
    delay_products();
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
  static bool is_map(const Instruction& at) { return std::holds_alternative<Map>(at.kind); }
  static bool is_product(const Instruction& at) {
    return std::holds_alternative<Contract>(at.kind);
  }
  Fate& fate(ValueId value) { return fate_[value.at()]; }
  bool available(ValueId value) { return fate(value) != Fate::lost; }

  void find_uses() {
    for (std::size_t i = 0; i < p_.instructions.size(); ++i) {
      const Instruction& at = p_.instructions[i];
      for (ValueId result : at.results) producer_[result.at()] = static_cast<int>(i);
      if (is_forward(at)) continue;
      auto& uses = !rewritable(at) ? held_ : is_map(at) ? crosses_ : multiplied_;
      for (ValueId operand : at.operands) uses[operand.at()] = true;
    }
    // What maps read as well they would compute again in places of their own.
    for (std::size_t value = 0; value < held_.size(); ++value)
      if (multiplied_[value] && crosses_[value]) held_[value] = true;
  }
  /// A `recompute` chose what to keep.
  static bool rewritable(const Instruction& at) {
    return is_backward(at) && at.role.recompute == 0 && (is_map(at) || is_product(at));
  }

  void judge(const Instruction& at) {
    const bool needed = [&] {
      for (ValueId result : at.results)
        if (crosses_[result.at()] || multiplied_[result.at()] || held_[result.at()]) return true;
      return false;
    }();
    const Fate ready = is_source(at)           ? Fate::source
                       : can_rematerialize(at) ? Fate::computed_again
                                               : Fate::lost;
    for (ValueId result : at.results) {
      fate(result) = ready;
      if (ready == Fate::source) continue;
      const bool read = crosses_[result.at()] || multiplied_[result.at()];
      if (held_[result.at()] || (ready == Fate::lost && read)) fate(result) = Fate::kept;
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

  static bool is_function(const ScalarInstruction& step) {
    return step.kind == LeafKind::none && arity(step.op) == 1 &&
           row(step.op).rounding == Rounding::rounds && step.op != ScalarOp::cast;
  }
  /// The C library's functions of f64 take longer than memory does.
  static bool is_dear(const ScalarInstruction& step) {
    return is_function(step) && step.dtype == DType::f64;
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

  /// Those that have an operand computed again stand behind the next maps that do not need them,
  /// and so does what is done with their results until then.
  void delay_products() {
    for (std::size_t i = p_.instructions.size(); i-- > 0;) {
      const Instruction& at = p_.instructions[i];
      if (is_product(at) && rewritable(at) && reads_again(at)) delay(i);
    }
  }
  void delay(std::size_t i) {
    std::set<ValueId> late;
    std::vector<bool> is_late;
    std::size_t end = i, maps = 0;
    for (std::size_t j = i; j < p_.instructions.size() && j < i + kFarthestMap + maps; ++j) {
      const Instruction& at = p_.instructions[j];
      const bool follows = j == i || std::any_of(at.operands.begin(), at.operands.end(),
                                                 [&](ValueId o) { return late.contains(o); });
      if (!is_backward(at) || (maps > 0 && !is_map(at)) || (follows && is_map(at))) break;
      if (follows) late.insert(at.results.begin(), at.results.end());
      maps += is_map(at);
      is_late.push_back(follows);
      if (is_map(at)) end = j + 1;
    }
    if (maps == 0) return;
    std::vector<Instruction> early, behind;
    for (std::size_t j = i; j < end; ++j)
      (is_late[j - i] ? behind : early).push_back(std::move(p_.instructions[j]));
    const auto from = p_.instructions.begin() + static_cast<std::ptrdiff_t>(i);
    std::move(behind.begin(), behind.end(), std::move(early.begin(), early.end(), from));
  }
  bool reads_again(const Instruction& at) {
    return std::any_of(at.operands.begin(), at.operands.end(),
                       [&](ValueId operand) { return fate(operand) == Fate::computed_again; });
  }

  void rewrite(std::size_t i) {
    Instruction& at = p_.instructions[i];
    if (rewritable(at))
      for (ValueId& operand : at.operands)
        operand = is_map(at) ? again(operand, i) : once(operand, i);
    // Maps side by side become one and share what is made again; behind other work it is made anew,
    // rather than kept for it.
    if (!is_map(at)) near_.clear();
  }

  /// For products, which need it in memory: all of them the same. The value itself, which then
  /// stays in memory, if much would be computed for it alone.
  ValueId once(ValueId value, std::size_t user) {
    if (fate(value) != Fate::computed_again) return value;
    if (const auto found = stored_.find(value); found != stored_.end()) return found->second;
    chain_.clear();
    add_chain(value);
    std::erase_if(chain_, [&](ValueId each) { return near_.contains(each); });
    const bool dear = std::any_of(chain_.begin(), chain_.end(), [&](ValueId each) {
      const auto& code = std::get<Map>(maker(each).kind).body.code;
      return std::any_of(code.begin(), code.end(), is_function);
    });
    if (dear || chain_.size() > kLongestOwnChain) return value;
    return stored_[value] = again(value, user);
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
  std::vector<bool> crosses_;     // by value: read by maps of the backward pass
  std::vector<bool> multiplied_;  // by value: read by products of the backward pass
  std::vector<bool> held_;        // by value: read by something else after the forward pass
  std::vector<Fate> fate_;
  std::set<ValueId> chain_;                                  // of the value at hand
  std::vector<std::pair<std::size_t, Instruction>> copies_;  // with whom they are for, ascending
  std::unordered_map<ValueId, ValueId> near_;                // copies since the last other work
  std::unordered_map<ValueId, ValueId> stored_;              // copies that products read
};

}  // namespace

void rematerialize_maps(Program& program, const DimTable& dims) {
  Rematerialization(program, dims).run();
}

}  // namespace mtfc::lowering
