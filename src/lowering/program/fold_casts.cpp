#include <algorithm>

#include "lowering/program/carriers.h"
#include "lowering/program/gradient_sums.h"
#include "lowering/program/program_passes.h"

namespace mtfc::lowering {

namespace {

class Casts {
 public:
  explicit Casts(Program& program)
      : p_(program), producer_(program.values.size(), nullptr), uses_(program.values.size()) {
    for (Instruction& instruction : p_.instructions) {
      for (ValueId r : instruction.results) producer_[r.at()] = &instruction;
      for (ValueId o : instruction.operands) uses_[o.at()].push_back(&instruction);
    }
  }

  void run() {
    // Gradients of parameters are not rounded, whatever reads them.
    const std::vector<bool> gradients = only_for_update(p_);
    for (Instruction& instruction : p_.instructions)
      if (only_cast(instruction) && gradients[instruction.results[0].at()]) write_wide(instruction);
    for (Instruction& instruction : p_.instructions) {
      if (adds_up(instruction)) read_narrow(instruction);
      if (std::holds_alternative<Map>(instruction.kind) && !only_cast(instruction)) {
        cast_inside(instruction);
      }
    }
    for (Instruction& instruction : p_.instructions) {
      if (only_cast(instruction)) write_wide(instruction);
    }
  }

 private:
  static bool adds_up(const Instruction& instruction) {
    return std::holds_alternative<Contract>(instruction.kind) ||
           std::holds_alternative<Reduce>(instruction.kind);
  }
  const TensorType& type(ValueId id) const { return p_.at(id).type.tensor; }

  /// The operand of the cast that makes `value`, if it turns `from` types into `to`.
  template <class From, class To>
  std::optional<ValueId> cast_source(ValueId value, From from, To to) const {
    const Instruction* cast = producer_[value.at()];
    if (!cast || !only_cast(*cast)) return std::nullopt;
    const ValueId source = cast->operands[0];
    if (!from(type(source).dtype) || !to(type(value).dtype)) return std::nullopt;
    return source;
  }
  static bool is_f32(DType dtype) { return dtype == DType::f32; }

  void replace(Instruction& instruction, std::size_t operand, ValueId by) {
    std::erase(uses_[instruction.operands[operand].at()], &instruction);
    instruction.operands[operand] = by;
    uses_[by.at()].push_back(&instruction);
  }

  /// Sums of halves made f32: the kernels widen what they load.
  void read_narrow(Instruction& instruction) {
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      const auto source = cast_source(instruction.operands[i], is_half, is_f32);
      if (source) replace(instruction, i, *source);
    }
  }

  /// A half sum that is made f32 at once and not used otherwise: the kernels add up in f32 anyway.
  void write_wide(Instruction& cast) {
    const ValueId narrow = cast.operands[0], wide = cast.results[0];
    if (!cast_source(wide, is_half, is_f32)) return;
    Instruction* sum = producer_[narrow.at()];
    if (!sum || !adds_up(*sum) || uses_[narrow.at()].size() != 1) return;
    // The cast becomes an instruction without use: pruned.
    const ValueId unused = next_id<ValueId>(p_.values);
    p_.values.push_back(p_.at(narrow));
    producer_.push_back(&cast);
    uses_.emplace_back();
    sum->results[0] = wide;
    producer_[wide.at()] = sum;
    cast.results[0] = unused;
  }

  /// Maps widen what they read. They narrow it too if it is a statistic (a sum over some
  /// dimensions) that meets a larger tensor, so that it is not rounded on the way.
  void cast_inside(Instruction& instruction) {
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      const ValueId value = instruction.operands[i];
      auto source = cast_source(value, is_half, is_f32);
      if (!source && !same_set(type(value).dims, type(instruction.results[0]).dims)) {
        source = cast_source(value, is_f32, is_half);
      }
      if (!source) continue;
      cast_leaf(std::get<Map>(instruction.kind), static_cast<int>(i), type(*source).dtype,
                type(value).dtype);
      replace(instruction, i, *source);
    }
  }

  /// After each leaf that reads this operand, whose type is `from` from now on, a cast to `to`.
  static void cast_leaf(Map& map, int operand, DType from, DType to) {
    std::vector<ScalarInstruction> code;
    std::vector<int> where;
    for (ScalarInstruction s : map.body.code) {
      for (int& arg : s.args) {
        if (arg >= 0) arg = where[static_cast<std::size_t>(arg)];
      }
      const bool reads = s.kind == LeafKind::operand && s.leaf == operand;
      if (reads) s.dtype = from;
      code.push_back(s);
      if (reads) {
        ScalarInstruction cast;
        cast.op = ScalarOp::cast;
        cast.dtype = to;
        cast.args[0] = static_cast<int>(code.size()) - 1;
        code.push_back(cast);
      }
      where.push_back(static_cast<int>(code.size()) - 1);
    }
    map.body.code = std::move(code);
    for (int& result : map.body.results) result = where[static_cast<std::size_t>(result)];
  }

  Program& p_;
  std::vector<Instruction*> producer_;
  std::vector<std::vector<Instruction*>> uses_;
};

}  // namespace

void fold_casts(Program& program) {
  Casts(program).run();
  prune(program);
}

}  // namespace mtfc::lowering
