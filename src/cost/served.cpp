#include "cost/served.h"

#include <algorithm>

namespace mtfc::cost {

std::string operation_name(const Instruction& at, const bind::Bound& bound) {
  const bool sums = std::holds_alternative<runtime::ContractSpec>(bound) && !is_product(bound);
  return sums ? "reduce" : std::string(name(at.kind));
}

bool Served::only_moves(std::size_t i) const {
  return is_alias(bound_[i]) || is_collective(program_.instructions[i].kind);
}

std::string Served::maker(std::size_t before, ValueId value) const {
  for (std::size_t i = before; i-- > 0;) {
    const Instruction& at = program_.instructions[i];
    const auto made = std::find(at.results.begin(), at.results.end(), value);
    if (made == at.results.end()) continue;
    const auto part = std::find_if(at.operands.begin(), at.operands.end(), [&](ValueId operand) {
      return program_.at(operand).type.sharding.is_partial();
    });
    if (only_moves(i))
      value = at.operands[static_cast<std::size_t>(made - at.results.begin())];
    else if (part != at.operands.end())
      value = *part;
    else
      return operation_name(at, bound_[i]);
  }
  return "";
}

std::string Served::user(std::size_t after, ValueId value) const {
  for (std::size_t i = after + 1; i < bound_.size(); ++i) {
    const Instruction& at = program_.instructions[i];
    const auto used = std::find(at.operands.begin(), at.operands.end(), value);
    if (used == at.operands.end()) continue;
    const auto number = static_cast<std::size_t>(used - at.operands.begin());
    if (!only_moves(i) || number >= at.results.size()) return operation_name(at, bound_[i]);
    value = at.results[number];
  }
  return "";
}

std::string Served::operation(std::size_t i, std::size_t tensor) const {
  const Instruction& at = program_.instructions[i];
  return summing(at.kind) ? maker(i, at.operands[tensor]) : user(i, at.results[tensor]);
}

std::string Served::operations(std::size_t i) const {
  std::string names;
  for (std::size_t j = 0; j < program_.instructions[i].results.size(); ++j) {
    const std::string one = operation(i, j);
    if ((", " + names + ", ").find(", " + one + ", ") == names.npos)
      names += (names.empty() ? "" : ", ") + one;
  }
  return names;
}

}  // namespace mtfc::cost
