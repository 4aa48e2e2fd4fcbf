// What memory is for: parameters, gradients, activations, ... Found from the kinds of variables and
// the roles of instructions (ir/step_role.h), never from names.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bind/bind.h"
#include "ir/module.h"

namespace mtfc::cost {

enum class MemoryRole : std::uint8_t {
  parameters,       // of the model, as they are kept
  optimizer_state,  // moments and the like
  gradients,        // of parameters, with their sums over micro-batches
  state,            // states of the model, sums of losses, caches of generation
  gathered,         // parameters whose parts were gathered for an operation
  activations,      // what the model computes, its inputs, and gradients of such values
  update,           // what the weight update computes on its way
  messages,         // buffers of collectives
};
inline constexpr std::array all_memory_roles = {MemoryRole::parameters, MemoryRole::optimizer_state,
                                                MemoryRole::gradients,  MemoryRole::state,
                                                MemoryRole::gathered,   MemoryRole::activations,
                                                MemoryRole::update,     MemoryRole::messages};
/// "optimizer state"
std::string_view name(MemoryRole role);
/// "optimizer_state"
std::string json_key(MemoryRole role);

/// By the number of the variable. Sums that the backward pass adds to are gradients.
std::vector<MemoryRole> roles_of_variables(const Module& module);

/// By ValueId; a value that is the memory of another (bind.h) has its role. A gradient is what the
/// weight update is given, or adds to such a sum, with what it was moved from.
std::vector<MemoryRole> roles_of_values(const Module& module, const Program& program,
                                        const std::vector<bind::Bound>& bound);

}  // namespace mtfc::cost
