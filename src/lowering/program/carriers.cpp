#include "lowering/program/carriers.h"

namespace mtfc::lowering {

bool is_read(const InstructionKind& kind) { return std::holds_alternative<Read>(kind); }

bool is_write(const InstructionKind& kind) { return std::holds_alternative<Write>(kind); }

bool multiplies(const InstructionKind& kind) {
  return std::holds_alternative<Contract>(kind) || std::holds_alternative<AddProduct>(kind);
}

bool is_gather(const InstructionKind& kind) { return std::holds_alternative<AllGather>(kind); }

namespace {

/// From one sharding to another, without sums, by messages.
bool is_move(const InstructionKind& kind) {
  return is_gather(kind) || std::holds_alternative<AllToAll>(kind) ||
         std::holds_alternative<Permute>(kind);
}

}  // namespace

bool carries(const InstructionKind& kind) {
  return is_move(kind) || std::holds_alternative<Rearrange>(kind);
}

bool is_work(const InstructionKind& kind) {
  return multiplies(kind) || std::holds_alternative<Reduce>(kind) ||
         std::holds_alternative<Map>(kind) || std::holds_alternative<ScatterAdd>(kind) ||
         std::holds_alternative<AddAt>(kind) || std::holds_alternative<WindowAdd>(kind);
}

const ScalarInstruction* only_cast(const Instruction& instruction) {
  const auto* map = std::get_if<Map>(&instruction.kind);
  if (!map || map->body.code.size() != 2 || instruction.operands.size() != 1) return nullptr;
  const ScalarInstruction& last = map->body.code.back();
  return last.kind == LeafKind::none && last.op == ScalarOp::cast ? &last : nullptr;
}

bool is_sum_of_two(const Instruction& instruction) {
  const auto* map = std::get_if<Map>(&instruction.kind);
  const std::vector<ValueId>& operands = instruction.operands;
  if (!map || operands.size() != 2 || operands[0] == operands[1]) return false;
  const std::vector<ScalarInstruction>& code = map->body.code;
  return code.size() == 3 && code[0].kind == LeafKind::operand &&
         code[1].kind == LeafKind::operand && code[0].leaf != code[1].leaf &&
         code[2].kind == LeafKind::none && code[2].op == ScalarOp::add;
}

InstructionKind casting(DType from, DType to) {
  Map cast;
  cast.body.code = {scalar::operand(0, from), scalar::op(ScalarOp::cast, to, 0)};
  cast.body.results = {1};
  return cast;
}

InstructionKind constant(double value, DType dtype) {
  Map one;
  one.body.code = {scalar::constant(value, dtype)};
  one.body.results = {0};
  return one;
}

InstructionKind counting(DimId dim, std::int64_t begin) {
  Map ints;
  ints.body.code = {scalar::index(0, DType::i32),
                    scalar::constant(static_cast<double>(begin), DType::i32),
                    scalar::op(ScalarOp::add, DType::i32, 0, 1)};
  ints.body.results = {2};
  ints.index_leaves = {dim};
  return ints;
}

}  // namespace mtfc::lowering
