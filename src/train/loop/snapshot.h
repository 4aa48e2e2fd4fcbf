// The variables of an engine, so that a step can be undone.
#pragma once
#include <vector>

#include "train/engine.h"

namespace mtfc::runtime {

class Snapshot {
 public:
  /// Both are called by all ranks, each of which keeps what it has.
  void take(Engine& engine) {
    parts_.clear();
    for (const VariableInfo& variable : engine.variables())
      parts_.push_back(engine.part(variable.path));
  }
  void restore(Engine& engine) const {
    const std::vector<VariableInfo> variables = engine.variables();
    for (std::size_t i = 0; i < parts_.size(); ++i) engine.set_part(variables[i].path, parts_[i]);
  }

 private:
  std::vector<HostTensor> parts_;  // in the order of the engine's variables
};

}  // namespace mtfc::runtime
