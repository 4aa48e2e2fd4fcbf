// The keys of a `train` block, of its `params` groups, and of `--set`.
#pragma once
#include <string>
#include <vector>

#include "ir/model.h"

namespace mtfc::elab {

const std::vector<std::string>& train_keys();
const std::vector<std::string>& param_keys();
/// All that `--set` takes for this model, the arguments of its optimizer and schedules included.
std::vector<std::string> setting_keys(const Model& model);

}  // namespace mtfc::elab
