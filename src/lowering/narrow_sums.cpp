// `set wire=bf16`: sums of gradients travel in bf16. What each processor adds to the sum is rounded
// before it is sent and the sum once after it; it is added in f32, in the order of the processors.
#include <map>

#include "lowering/program_passes.h"

namespace mtfc::lowering {

namespace {

class Narrowing {
 public:
  explicit Narrowing(Program& program) : p_(program), uses_(program.values.size()) {
    for (const Instruction& instruction : p_.instructions)
      for (ValueId operand : instruction.operands) uses_[operand.at()].push_back(&instruction);
  }

  void run() {
    ends_in_update_.resize(p_.values.size());
    for (std::size_t i = p_.instructions.size(); i-- > 0;)
      for (ValueId result : p_.instructions[i].results)
        ends_in_update_[result.at()] = ends_in_update(result);
    std::vector<bool> gradient;
    for (const Instruction& one : p_.instructions) gradient.push_back(sums_gradients(one));
    std::vector<Instruction> all;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      Instruction& instruction = p_.instructions[i];
      if (!gradient[i]) {
        all.push_back(std::move(instruction));
        continue;
      }
      const ValueId from = instruction.operands[0], to = instruction.results[0];
      const ValueId sent = narrow_copy(from), received = narrow_copy(to);
      instruction.operands = {sent};
      instruction.results = {received};
      const Origin origin = instruction.origin;
      all.push_back({cast(DType::f32, DType::bf16), {from}, {sent}, origin});
      all.push_back(std::move(instruction));
      all.push_back({cast(DType::bf16, DType::f32), {received}, {to}, origin});
    }
    p_.instructions = std::move(all);
  }

 private:
  bool sums_gradients(const Instruction& one) const {
    const auto* all = std::get_if<AllReduce>(&one.kind);
    const auto* part = std::get_if<ReduceScatter>(&one.kind);
    if (!all && !part) return false;
    return (all ? all->kind : part->kind) == Combine::sum && one.operands.size() == 1 &&
           one.origin.phase == Phase::backward &&
           p_.at(one.results[0]).type.tensor.dtype == DType::f32 && ends_in_update_[one.results[0].at()];
  }

  /// Used by the update, or handed out, and by no other part of the step: what is moved or scaled on
  /// the way is still a gradient. Asked of later values first.
  bool ends_in_update(ValueId value) const {
    for (const Instruction* use : uses_[value.at()]) {
      const bool passes =
          std::holds_alternative<Map>(use->kind) || std::holds_alternative<Rearrange>(use->kind) ||
          std::holds_alternative<Shard>(use->kind) || is_collective(use->kind);
      const bool ends =
          use->origin.phase == Phase::update || std::holds_alternative<Fetch>(use->kind);
      if (!ends && !(passes && ends_in_update_[use->results[0].at()])) return false;
    }
    return true;
  }

  ValueId narrow_copy(ValueId value) {
    const ValueId copy = next_id<ValueId>(p_.values);
    p_.values.push_back(p_.at(value));
    p_.values.back().type.tensor.dtype = DType::bf16;
    return copy;
  }

  static Map cast(DType from, DType to) {
    Map map;
    map.body.code.push_back({LeafKind::operand, {}, from, {-1, -1, -1}, 0, 0});
    map.body.code.push_back({LeafKind::none, ScalarOp::cast, to, {0, -1, -1}, -1, 0});
    map.body.results = {1};
    return map;
  }

  Program& p_;
  std::vector<std::vector<const Instruction*>> uses_;
  std::vector<bool> ends_in_update_;
};

}  // namespace

void narrow_sums(Program& program) {
  Narrowing(program).run();
  prune(program);  // numbers the values anew, in their order
}

}  // namespace mtfc::lowering
