// What a state has to do with what lies around it: the model's variables and inputs, the programs
// that the command runs, what they are fed with and give.
#pragma once
#include <string>

#include "lowering/pipeline.h"

namespace mtfc::lowering {

/// What a state that was read lacks, or has beyond one that the passes made of the same model for
/// the same request; "" if it has the same. How the programs compute may differ. `model_dims`: how
/// many dimensions the model has itself.
std::string difference(const State& made, const State& read, PassStage stage,
                       std::size_t model_dims);

}  // namespace mtfc::lowering
