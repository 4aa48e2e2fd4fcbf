#include "cost/memory_role.h"

#include <algorithm>
#include <unordered_map>

namespace mtfc::cost {
namespace {

std::unordered_map<std::string_view, std::size_t> variable_numbers(const Module& module) {
  std::unordered_map<std::string_view, std::size_t> numbers;
  for (const ModuleVariable& variable : module.variables)
    numbers.emplace(variable.path, numbers.size());
  return numbers;
}

MemoryRole role_of(Variable::Kind kind) {
  switch (kind) {
    case Variable::Kind::parameter:
      return MemoryRole::parameters;
    case Variable::Kind::optimizer:
      return MemoryRole::optimizer_state;
    case Variable::Kind::state:
    case Variable::Kind::accumulator:
    case Variable::Kind::cache:
      return MemoryRole::state;
  }
  return MemoryRole::state;
}

class RoleTable {
 public:
  RoleTable(const Module& module, const Program& program, const std::vector<bind::Bound>& bound)
      : program_(program),
        bound_(bound),
        numbers_(variable_numbers(module)),
        variables_(roles_of_variables(module)),
        roles_(program.values.size(), MemoryRole::activations),
        made_by_(program.values.size(), nullptr) {
    for (const Instruction& at : program.instructions)
      for (ValueId result : at.results) made_by_[result.at()] = &at;
    for (std::size_t i = 0; i < bound.size(); ++i) forward(i);
    for (std::size_t i = bound.size(); i-- > 0;) backward(i);
  }
  std::vector<MemoryRole> take() { return std::move(roles_); }

 private:
  MemoryRole& role(ValueId value) { return roles_[value.at()]; }
  /// Its results are its operands, in other shards or another order.
  bool moves(std::size_t i) const {
    return is_alias(bound_[i]) || std::holds_alternative<bind::Exchanges>(bound_[i]) ||
           std::holds_alternative<runtime::CopySpec>(bound_[i]);
  }
  bool is_read(ValueId value) const { return variable_of(made_by_[value.at()]->kind) != nullptr; }

  void forward(std::size_t i) {
    const Instruction& at = program_.instructions[i];
    for (std::size_t j = 0; j < at.results.size(); ++j) {
      MemoryRole& made = role(at.results[j]);
      if (const std::string* variable = variable_of(at.kind))
        made = variables_[numbers_.at(*variable)];
      else if (moves(i) && is_parameter(role(at.operands[j])))
        made = MemoryRole::gathered;
      else if (at.role.kind == StepRole::Kind::update)
        made = MemoryRole::update;
    }
  }
  static bool is_parameter(MemoryRole role) {
    return role == MemoryRole::parameters || role == MemoryRole::gathered;
  }

  /// What the weight update is given, and what was moved to become that.
  void backward(std::size_t i) {
    const Instruction& at = program_.instructions[i];
    const bool sums = std::any_of(at.operands.begin(), at.operands.end(), [&](ValueId operand) {
      return is_read(operand) && role(operand) == MemoryRole::gradients;
    });
    for (std::size_t j = 0; j < at.operands.size(); ++j) {
      const ValueId operand = at.operands[j];
      if (made_by_[operand.at()]->role.kind != StepRole::Kind::gradient || is_read(operand))
        continue;
      const bool moved =
          moves(i) && j < at.results.size() && role(at.results[j]) == MemoryRole::gradients;
      if (moved || (sums && !moves(i)) || at.role.kind == StepRole::Kind::update)
        if (role(operand) == MemoryRole::activations) role(operand) = MemoryRole::gradients;
    }
  }

  const Program& program_;
  const std::vector<bind::Bound>& bound_;
  const std::unordered_map<std::string_view, std::size_t> numbers_;
  const std::vector<MemoryRole> variables_;
  std::vector<MemoryRole> roles_;
  std::vector<const Instruction*> made_by_;
};

}  // namespace

std::string_view name(MemoryRole role) {
  switch (role) {
    case MemoryRole::parameters:
      return "parameters";
    case MemoryRole::optimizer_state:
      return "optimizer state";
    case MemoryRole::gradients:
      return "gradients";
    case MemoryRole::state:
      return "states and sums";
    case MemoryRole::gathered:
      return "gathered parameters";
    case MemoryRole::activations:
      return "activations";
    case MemoryRole::update:
      return "weight update";
    case MemoryRole::messages:
      return "message buffers";
  }
  return "";
}

std::string json_key(MemoryRole role) {
  std::string key(name(role));
  std::replace(key.begin(), key.end(), ' ', '_');
  return key;
}

std::vector<MemoryRole> roles_of_variables(const Module& module) {
  std::vector<MemoryRole> roles;
  for (const ModuleVariable& variable : module.variables) roles.push_back(role_of(variable.kind));
  const auto numbers = variable_numbers(module);
  for (const Program& program : module.programs)
    for (const Instruction& at : program.instructions) {
      const std::string* variable = at.results.empty() ? variable_of(at.kind) : nullptr;
      if (variable == nullptr || at.role.kind != StepRole::Kind::gradient) continue;
      const std::size_t number = numbers.at(*variable);
      if (module.variables[number].kind == Variable::Kind::accumulator)
        roles[number] = MemoryRole::gradients;
    }
  return roles;
}

std::vector<MemoryRole> roles_of_values(const Module& module, const Program& program,
                                        const std::vector<bind::Bound>& bound) {
  return RoleTable(module, program, bound).take();
}

}  // namespace mtfc::cost
