// The keys of a `train` block and of its `params` groups.
#pragma once
#include <string>
#include <vector>

namespace mtfc::elab {

const std::vector<std::string>& train_keys();
const std::vector<std::string>& param_keys();

}  // namespace mtfc::elab
