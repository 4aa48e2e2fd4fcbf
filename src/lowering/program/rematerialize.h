// What the passes that rematerialize have in common: they compute values of the forward pass again
// in the backward pass.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "ir/program.h"

namespace mtfc::lowering {

/// Whose values a backward pass may compute again from what is kept: 0 in the forward pass, the tag
/// of what a `recompute` computes again for its own backward pass, -1 elsewhere.
int forward_of(const Instruction& at);
/// Not in a `recompute` of the forward pass: what that keeps is what it chose.
bool may_be_made_again(const Instruction& at);
/// A gradient for whose sake the values of that forward pass are kept.
bool is_gradient_of(int forward, const Instruction& at);
/// Of the values of a program, while nothing in front of what makes them moves.
class ForwardTable {
 public:
  explicit ForwardTable(const Program& program);

  /// The pass that makes it (forward_of).
  int forward(ValueId value) const { return forward_[value.at()]; }
  const Instruction& maker(ValueId value) const {
    return program_->instructions[producer_[value.at()]];
  }
  bool is_for_gradient(ValueId value, const Instruction& user) const {
    return is_gradient_of(forward(value), user);
  }

 private:
  const Program* program_;
  std::vector<int> forward_;
  std::vector<std::size_t> producer_;
};
bool is_map(const Instruction& at);
bool is_view(const Instruction& at);
/// Or a view, as which a product reads its operand.
bool is_product(const Instruction& at);
/// A map, or what is run with maps, tile by tile.
bool is_beside_maps(const Instruction& at);
/// Cheaper than reading its result from memory: an elementwise map without samples and without the
/// C library's functions of f64.
bool is_cheap_map(const Instruction& at, const Program& program);
/// A reduction to the largest elements, or to the smallest.
bool finds_largest(const Instruction& at);
/// A statistic that meets a larger tensor: it is kept for that one's sake.
bool is_small_beside(ValueId operand, ValueId result, const Program& program, const DimTable& dims);
/// Of the whole tensor.
std::int64_t elements_of(ValueId value, const Program& program, const DimTable& dims);
/// An operation that computes, for one element, what takes many cycles: exp, tanh, ...
bool is_function(const ScalarInstruction& step);

/// Copies of instructions, with the instructions that they are made for.
using Copies = std::vector<std::pair<std::size_t, Instruction>>;
/// Each in front of the instruction that it is made for, those of one in their order.
void insert(Copies copies, Program& program);

/// Puts instruction `i`, and what is done with its results until then, behind the next maps and
/// sums side by side that do not need them, if these begin soon.
void delay_behind_maps(Program& program, std::size_t i);

}  // namespace mtfc::lowering
