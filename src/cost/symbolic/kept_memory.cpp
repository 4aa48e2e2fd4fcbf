#include "cost/symbolic/kept_memory.h"

#include <algorithm>
#include <map>
#include <optional>

namespace mtfc::cost {
namespace {

/// Whether what one phase makes is kept for the other. What is computed again is not.
bool keeps(Phase made, Phase used) {
  if (made == Phase::forward) return used == Phase::backward || used == Phase::recompute;
  return made == Phase::backward && used == Phase::update;
}

class KeptSums {
 public:
  KeptSums(const Module& module, const Symbols& symbols) : module_(module), symbols_(symbols) {}

  void add_variables() {
    const std::vector<MemoryRole> roles = roles_of_variables(module_);
    for (std::size_t i = 0; i < roles.size(); ++i)
      add(roles[i], module_.variables[i].path, module_.variables[i].type);
  }

  void add_values(const Program& program) {
    const std::vector<bind::Bound> bound = bind::bind_all({module_.dims, module_.mesh}, program);
    const std::vector<MemoryRole> roles = roles_of_values(module_, program, bound);
    std::vector<ValueId> memory;  // whose memory a value has
    std::vector<const Instruction*> made(program.values.size(), nullptr);
    std::vector<bool> kept(program.values.size(), false);
    for (std::size_t i = 0; i < program.values.size(); ++i)
      memory.push_back(ValueId{static_cast<std::int32_t>(i)});
    for (std::size_t i = 0; i < bound.size(); ++i) {
      const Instruction& at = program.instructions[i];
      for (std::size_t j = 0; j < at.results.size(); ++j) {
        made[at.results[j].at()] = &at;
        if (is_alias(bound[i])) memory[at.results[j].at()] = memory[at.operands[j].at()];
      }
      if (is_alias(bound[i])) continue;
      for (ValueId operand : at.operands) {
        const ValueId root = memory[operand.at()];
        if (keeps(made[root.at()]->origin.phase, at.origin.phase)) kept[root.at()] = true;
      }
    }
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (kept[i] && is_made(roles[i])) add(roles[i], made[i]->role.block, program.values[i].type);
  }

  double bytes() const {
    double sum = 0;
    for (const auto& [role, sums] : bytes_) sum += sums.take().total().at(symbols_.sizes());
    return sum;
  }

  std::vector<Kept> take() const {
    std::vector<Kept> all;
    for (const MemoryRole role : all_memory_roles)
      if (elements_.count(role) == 1)
        all.push_back({role, elements_.at(role).take(), bytes_.at(role).take()});
    return all;
  }

 private:
  /// Other values are variables, which are counted already, or what the update makes on its way.
  static bool is_made(MemoryRole role) {
    return role == MemoryRole::activations || role == MemoryRole::gathered ||
           role == MemoryRole::gradients;
  }

  void add(MemoryRole role, const std::string& path, const ShardType& type) {
    const Polynomial elements = symbols_.elements(type);
    elements_[role].add(path, elements);
    bytes_[role].add(path, elements * static_cast<double>(size_of(type.tensor.dtype)));
  }

  const Module& module_;
  const Symbols& symbols_;
  std::map<MemoryRole, InstanceSums> elements_, bytes_;
};

}  // namespace

std::vector<Kept> kept_of(const Module& module, const Cost& cost, const Symbols& symbols) {
  KeptSums variables(module, symbols);
  variables.add_variables();
  std::optional<KeptSums> most = variables;
  for (const ProgramWork& work : cost.work) {
    KeptSums one = variables;
    one.add_values(*module.find(work.program));
    if (one.bytes() > most->bytes()) most.emplace(std::move(one));
  }
  return most->take();
}

}  // namespace mtfc::cost
