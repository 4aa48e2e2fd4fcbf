#include "train/engine.h"

namespace mtfc::runtime {

std::vector<Share> Engine::shares() const {
  std::vector<Share> all;
  for (VariableInfo& variable : variables())
    all.push_back({Block::whole(std::move(variable.extents)), true});
  return all;
}

}  // namespace mtfc::runtime
