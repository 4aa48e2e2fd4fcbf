// Elementwise values of the forward pass are computed again where the backward pass uses them, from
// what is kept anyway: reading one tensor and a few operations cost less than writing and reading
// several. After Jain et al., "Checkmate" (arXiv 1910.02653), and the recomputation of pointwise
// operations in AOTAutograd's min-cut partitioner; here without a search: chains of maps begin at
// values that something else keeps.
// Products of the backward pass have their operands computed again, too. They stand behind the maps
// that follow them, with which those operands mostly have their chains in common.
// What a `recompute` computes again is such a forward pass, and its gradients the backward pass:
// what lies between them takes memory and time as well.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "lowering/program/program_passes.h"
#include "lowering/program/rematerialize.h"

namespace mtfc::lowering {
namespace {

/// Maps in one value's chain: more would cost more than they save, and not fit one fused body.
constexpr std::size_t kLongestChain = 16;
/// Those of a product's operand that no map beside it computes anyway.
constexpr std::size_t kLongestOwnChain = 4;

class Rematerialization {
 public:
  Rematerialization(Program& program, const DimTable& dims)
      : p_(program),
        dims_(dims),
        table_(program),
        crosses_(program.values.size()),
        multiplied_(program.values.size()),
        held_(program.values.size()),
        fate_(program.values.size(), Fate::lost) {}

  void run() {
    repeat_views();
    find_uses();
    for (const Instruction& at : p_.instructions)
      if (forward_of(at) >= 0) judge(at);
    delay_products();
    for (std::size_t i = 0; i < p_.instructions.size(); ++i) rewrite(i);
    if (copies_.empty() && !repeats_views_) return;
    insert(copies_, p_);
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

  Fate& fate(ValueId value) { return fate_[value.at()]; }
  bool available(ValueId value) { return fate(value) != Fate::lost; }

  /// Views of the forward pass that the backward pass reads are made there: what they show may be
  /// computed again then.
  void repeat_views() {
    std::unordered_map<ValueId, std::size_t> views;  // by result: the instruction
    std::unordered_map<ValueId, ValueId> repeated;
    std::set<ValueId> made_by_maps;
    for (std::size_t i = 0; i < p_.instructions.size(); ++i) {
      const Instruction& at = p_.instructions[i];
      const bool is_made = forward_of(at) >= 0;
      for (ValueId result : at.results)
        if (is_made && is_cheap_map(at, p_)) made_by_maps.insert(result);
      if (is_made && is_renaming(at) && may_be_made_again(at) &&
          made_by_maps.contains(at.operands[0]))
        views[at.results[0]] = i;
      if (!is_product(at)) continue;
      for (std::size_t k = 0; k < at.operands.size(); ++k) {
        const ValueId operand = p_.instructions[i].operands[k];
        const auto view = views.find(operand);
        if (view == views.end() ||
            !is_gradient_of(forward_of(p_.instructions[view->second]), p_.instructions[i]))
          continue;
        const auto [copy, fresh] = repeated.try_emplace(operand);
        if (fresh) copy->second = add_copy(p_.instructions[view->second], i);
        p_.instructions[i].operands[k] = copy->second;
      }
    }
    repeats_views_ = !copies_.empty();
    insert(copies_, p_);
    copies_.clear();
    table_ = ForwardTable(p_);
    for (auto* uses : {&crosses_, &multiplied_, &held_}) uses->resize(p_.values.size());
    fate_.resize(p_.values.size(), Fate::lost);
  }

  /// Moves nothing, not even in memory.
  static bool is_renaming(const Instruction& at) {
    const auto* view = std::get_if<Rearrange>(&at.kind);
    return view && std::all_of(view->groups.begin(), view->groups.end(), [](const auto& group) {
             return group.from.size() == 1 && group.to.size() == 1;
           });
  }

  void find_uses() {
    for (const Instruction& at : p_.instructions)
      for (ValueId operand : at.operands) {
        const int forward = table_.forward(operand);
        if (forward < 0 || forward == forward_of(at)) continue;
        auto& uses = !rewritable(at, operand) ? held_ : is_map(at) ? crosses_ : multiplied_;
        uses[operand.at()] = true;
      }
    hold_rounded();
    // What maps read as well they would compute again in places of their own.
    for (std::size_t value = 0; value < held_.size(); ++value)
      if (multiplied_[value] && crosses_[value]) held_[value] = true;
  }
  /// The largest elements are those of values as they were rounded to 16 bits in memory. Computed
  /// again in a map they may differ by that rounding: none would be the largest, and exp of the
  /// difference is as far off as the difference.
  void hold_rounded() {
    std::vector<bool> exact(p_.values.size());  // what must have the same bits again
    for (std::size_t i = p_.instructions.size(); i-- > 0;) {
      const Instruction& at = p_.instructions[i];
      if (finds_largest(at)) exact[at.operands[0].at()] = true;
      for (const ValueId result : at.results) {
        if (!exact[result.at()]) continue;
        if (is_half(p_.at(result).type.tensor.dtype))
          held_[result.at()] = true;
        else if (is_map(at))
          for (const ValueId operand : at.operands) exact[operand.at()] = true;
      }
    }
  }
  /// A `recompute` chose what to keep for others.
  bool rewritable(const Instruction& at, ValueId operand) const {
    return table_.is_for_gradient(operand, at) && (is_map(at) || is_product(at));
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
    if (!is_cheap_map(at, p_)) return false;
    for (ValueId operand : at.operands)
      if (!available(operand) && !is_small_beside(operand, at.results[0], p_, dims_)) return false;
    chain_.clear();
    add_chain(at.results[0]);
    return chain_.size() <= kLongestChain;
  }

  /// The values that computing `value` again makes, itself included.
  void add_chain(ValueId value) {
    if (chain_.size() > kLongestChain || !chain_.insert(value).second) return;
    for (ValueId operand : table_.maker(value).operands)
      if (fate(operand) == Fate::computed_again) add_chain(operand);
  }
  void keep_operands(ValueId value) {
    for (ValueId operand : table_.maker(value).operands)
      if (!available(operand)) fate(operand) = Fate::kept;
  }

  /// Those that have an operand computed again stand behind the next maps that do not need them,
  /// and so does what is done with their results until then.
  void delay_products() {
    for (std::size_t i = p_.instructions.size(); i-- > 0;) {
      const Instruction& at = p_.instructions[i];
      if (is_product(at) && reads_again(at)) delay_behind_maps(p_, i);
    }
  }
  bool reads_again(const Instruction& at) {
    return std::any_of(at.operands.begin(), at.operands.end(), [&](ValueId operand) {
      return rewritable(at, operand) && fate(operand) == Fate::computed_again;
    });
  }

  void rewrite(std::size_t i) {
    Instruction& at = p_.instructions[i];
    for (ValueId& operand : at.operands)
      if (rewritable(at, operand)) operand = is_map(at) ? again(operand, i) : once(operand, i);
    // Maps side by side become one and share what is made again; behind other work it is made anew,
    // rather than kept for it.
    if (is_map(at)) {
      behind_maps_ = i + 1;
      for (const auto& [value, copy] : near_) beside_[value] = copy;
      return;
    }
    near_.clear();
    if (!is_beside_maps(at) && !is_product(at)) leave_maps();
  }
  void leave_maps() {
    behind_maps_ = 0;
    beside_.clear();
  }

  /// For products, which need it in memory: all of them the same. The value itself, which then
  /// stays in memory, if much would be computed for it alone.
  ValueId once(ValueId value, std::size_t user) {
    if (fate(value) != Fate::computed_again) return value;
    if (const auto found = stored_.find(value); found != stored_.end()) return found->second;
    chain_.clear();
    add_chain(value);
    std::erase_if(chain_, [&](ValueId each) { return beside_.contains(each); });
    const bool dear = std::any_of(chain_.begin(), chain_.end(), [&](ValueId each) {
      const auto& code = std::get<Map>(table_.maker(each).kind).body.code;
      return std::any_of(code.begin(), code.end(), is_function);
    });
    if (dear || chain_.size() > kLongestOwnChain) return value;
    // Behind the maps that it has its chain in common with, in front of what else they end with.
    std::swap(near_, beside_);
    const ValueId copy = again(value, behind_maps_ > 0 ? behind_maps_ : user);
    std::swap(near_, beside_);
    return stored_[value] = copy;
  }

  /// What stands for the value in instruction `user`.
  ValueId again(ValueId value, std::size_t user) {
    if (fate(value) != Fate::computed_again) return value;
    if (const auto found = near_.find(value); found != near_.end()) return found->second;
    Instruction copy = table_.maker(value);
    for (ValueId& operand : copy.operands) operand = again(operand, user);
    return near_[value] = add_copy(std::move(copy), user);
  }
  ValueId add_copy(Instruction copy, std::size_t user) {
    const int forward = forward_of(copy);
    const ValueId result = next_id<ValueId>(p_.values);
    p_.values.push_back(p_.at(copy.results[0]));
    copy.results = {result};
    copy.origin.phase = Phase::recompute;
    copy.role = p_.instructions[user].role;
    copy.role.kind = StepRole::Kind::gradient;
    copy.role.recompute = forward;
    copy.role.again = false;
    copies_.emplace_back(user, std::move(copy));
    return result;
  }

  Program& p_;
  const DimTable& dims_;
  ForwardTable table_;
  std::vector<bool> crosses_;     // by value: read by maps of its backward pass
  std::vector<bool> multiplied_;  // by value: read by products of its backward pass
  std::vector<bool> held_;        // by value: read by something else after its forward pass
  std::vector<Fate> fate_;
  std::set<ValueId> chain_;                      // of the value at hand
  Copies copies_;                                // with whom they are for
  std::unordered_map<ValueId, ValueId> near_;    // copies since the last other work
  std::unordered_map<ValueId, ValueId> beside_;  // copies in the last maps and sums side by side
  bool repeats_views_ = false;
  std::size_t behind_maps_ = 0;                  // where these end; 0: there are none
  std::unordered_map<ValueId, ValueId> stored_;  // copies that products read
};

}  // namespace

void rematerialize_maps(Program& program, const DimTable& dims) {
  Rematerialization(program, dims).run();
}

}  // namespace mtfc::lowering
