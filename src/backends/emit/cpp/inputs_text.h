// What the programs of a module are fed with, as a table of the emitted program. An input has an
// entry for each type that a program takes it as: a batch, or every n-th row of one.
#pragma once
#include <string>
#include <vector>

#include "bind/shard_view.h"
#include "ir/module.h"

namespace mtfc::backends {

struct FedInput {
  std::string name;
  ShardType type;
  friend bool operator==(const FedInput&, const FedInput&) = default;
};

/// Each once, in the order of the programs.
std::vector<FedInput> inputs_of(const Module& module);

/// "inputs[2]": the entry of this one.
std::string input_text(const std::vector<FedInput>& inputs, const FedInput& input);
/// The table's definition.
std::string inputs_text(const Module& module);

}  // namespace mtfc::backends
