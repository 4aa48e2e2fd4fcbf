#include "lowering/program/rematerialize.h"

#include <algorithm>
#include <set>
#include <vector>

#include "lowering/program/carriers.h"

namespace mtfc::lowering {
namespace {

/// Instructions behind a product among which the next maps begin.
constexpr std::size_t kFarthestMap = 8;
/// An operand that has so many times fewer elements is kept for its sake.
constexpr std::int64_t kSmallOperand = 16;

bool is_forward(const Instruction& at) { return at.role.kind == StepRole::Kind::model; }
bool is_backward(const Instruction& at) { return at.role.kind == StepRole::Kind::gradient; }

}  // namespace

bool is_beside_maps(const Instruction& at) {
  return is_map(at) || std::holds_alternative<Reduce>(at.kind) || is_read(at.kind);
}

int forward_of(const Instruction& at) {
  if (is_forward(at)) return 0;
  return at.role.again ? at.role.recompute : -1;
}
bool may_be_made_again(const Instruction& at) { return at.role.again || at.role.recompute == 0; }
bool is_gradient_of(int forward, const Instruction& at) {
  return is_backward(at) && !at.role.again && at.role.recompute == forward;
}

ForwardTable::ForwardTable(const Program& program)
    : program_(&program), forward_(program.values.size(), -1), producer_(program.values.size()) {
  for (std::size_t i = 0; i < program.instructions.size(); ++i)
    for (const ValueId result : program.instructions[i].results) {
      forward_[result.at()] = forward_of(program.instructions[i]);
      producer_[result.at()] = i;
    }
}

bool is_map(const Instruction& at) { return std::holds_alternative<Map>(at.kind); }
bool is_view(const Instruction& at) { return std::holds_alternative<Rearrange>(at.kind); }
bool is_product(const Instruction& at) { return multiplies(at.kind) || is_view(at); }

bool is_function(const ScalarInstruction& step) {
  return step.kind == LeafKind::none && arity(step.op) == 1 &&
         row(step.op).rounding == Rounding::rounds && step.op != ScalarOp::cast;
}

bool is_cheap_map(const Instruction& at, const Program& program) {
  const auto* map = std::get_if<Map>(&at.kind);
  if (!map || at.results.size() != 1 || !map->random_leaves.empty()) return false;
  if (program.at(at.results[0]).type.sharding.is_partial()) return false;
  return std::none_of(map->body.code.begin(), map->body.code.end(), [](const auto& step) {
    return is_function(step) && step.dtype == DType::f64;
  });
}

std::int64_t elements_of(ValueId value, const Program& program, const DimTable& dims) {
  std::int64_t count = 1;
  for (DimId dim : program.at(value).type.tensor.dims) count *= dims.size(dim);
  return count;
}

bool finds_largest(const Instruction& at) {
  const auto* reduce = std::get_if<Reduce>(&at.kind);
  return reduce && reduce->kind != Combine::sum;
}

bool is_small_beside(ValueId operand, ValueId result, const Program& program,
                     const DimTable& dims) {
  return elements_of(operand, program, dims) <= elements_of(result, program, dims) / kSmallOperand;
}

void insert(Copies copies, Program& program) {
  std::stable_sort(copies.begin(), copies.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Instruction> all;
  all.reserve(program.instructions.size() + copies.size());
  auto copy = copies.begin();
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    for (; copy != copies.end() && copy->first == i; ++copy) all.push_back(std::move(copy->second));
    all.push_back(std::move(program.instructions[i]));
  }
  program.instructions = std::move(all);
}

void delay_behind_maps(Program& program, std::size_t i) {
  std::vector<Instruction>& all = program.instructions;
  std::set<ValueId> late;
  std::vector<bool> is_late;
  std::size_t end = i, maps = 0;
  for (std::size_t j = i; j < all.size(); ++j) {
    if (maps == 0 && j >= i + kFarthestMap) break;
    const Instruction& at = all[j];
    const bool follows = j == i || std::any_of(at.operands.begin(), at.operands.end(),
                                               [&](ValueId o) { return late.contains(o); });
    // Of its own backward pass alone: what gradients read must stay in front of them.
    if (!is_gradient_of(all[i].role.recompute, at) || (maps > 0 && !is_beside_maps(at)) ||
        (follows && is_map(at) && !only_cast(at)))
      break;
    if (follows) late.insert(at.results.begin(), at.results.end());
    maps += is_map(at) && !follows;
    is_late.push_back(follows);
    if (is_beside_maps(at) && !follows) end = j + 1;
  }
  if (maps == 0) return;
  std::vector<Instruction> early, behind;
  for (std::size_t j = i; j < end; ++j)
    (is_late[j - i] ? behind : early).push_back(std::move(all[j]));
  const auto from = all.begin() + static_cast<std::ptrdiff_t>(i);
  std::move(behind.begin(), behind.end(), std::move(early.begin(), early.end(), from));
}

}  // namespace mtfc::lowering
