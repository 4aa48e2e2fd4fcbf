// A gradient that processors add up and that the update wants in f32 is cast before it is added,
// not after: a sum in 16 bits would round once for each processor. The cast is part of the product.
#include <map>

#include "lowering/program/carriers.h"
#include "lowering/program/gradient_sums.h"
#include "lowering/program/program_passes.h"

namespace mtfc::lowering {

namespace {

class Widening {
 public:
  explicit Widening(Program& program)
      : p_(program), producer_(program.values.size(), -1), uses_(program.values.size()) {
    for (std::size_t i = 0; i < p_.instructions.size(); ++i) {
      for (ValueId result : p_.instructions[i].results)
        producer_[result.at()] = static_cast<int>(i);
      for (ValueId operand : p_.instructions[i].operands) ++uses_[operand.at()];
    }
  }

  void run() {
    const std::vector<bool> gradients = only_for_update(p_);
    std::vector<bool> gone(p_.instructions.size());
    std::vector<Instruction> all;
    for (std::size_t i = 0; i < p_.instructions.size(); ++i) {
      const Instruction& at = p_.instructions[i];
      if (only_cast(at) && gradients[at.results[0].at()] && widens(at)) gone[i] = exchange(i);
    }
    for (std::size_t i = 0; i < p_.instructions.size(); ++i) {
      if (early_.contains(i)) all.push_back(std::move(early_.at(i)));
      if (!gone[i]) all.push_back(std::move(p_.instructions[i]));
    }
    p_.instructions = std::move(all);
  }

 private:
  DType dtype(ValueId id) const { return p_.at(id).type.tensor.dtype; }
  bool widens(const Instruction& cast) const {
    return is_half(dtype(cast.operands[0])) && dtype(cast.results[0]) == DType::f32;
  }
  static bool may_be_widened(const Instruction& at) {
    return at.operands.size() == 1 && at.results.size() == 1 && passes_unchanged(at.kind);
  }

  /// Puts the cast in front of the sums and moves that end with its operand; false: there is no sum
  /// that nothing else reads.
  bool exchange(std::size_t cast) {
    std::vector<std::size_t> chain;  // from the last one
    ValueId value = p_.instructions[cast].operands[0];
    bool sums = false;
    while (producer_[value.at()] >= 0 && uses_[value.at()] == 1) {
      const auto i = static_cast<std::size_t>(producer_[value.at()]);
      const Instruction& at = p_.instructions[i];
      if (!may_be_widened(at)) break;
      sums |= is_gradient_sum(at);
      chain.push_back(i);
      value = at.operands[0];
    }
    if (!sums) return false;
    for (const std::size_t i : chain)
      p_.values[p_.instructions[i].results[0].at()].type.tensor.dtype = DType::f32;
    const ValueId wide = next_id<ValueId>(p_.values);
    p_.values.push_back(p_.at(value));
    p_.values.back().type.tensor.dtype = DType::f32;
    Instruction early = p_.instructions[cast];
    early.operands = {value};
    early.results = {wide};
    p_.instructions[chain.back()].operands = {wide};
    // What was cast is the result under the cast's name.
    p_.instructions[chain.front()].results[0] = p_.instructions[cast].results[0];
    early_.emplace(chain.back(), std::move(early));
    return true;
  }

  Program& p_;
  std::vector<int> producer_;
  std::vector<int> uses_;                     // by value: how often it is read
  std::map<std::size_t, Instruction> early_;  // casts, by the instruction that they stand before
};

}  // namespace

void widen_sums(Program& program) {
  Widening(program).run();
  prune(program);  // numbers the values anew, in their order
}

}  // namespace mtfc::lowering
