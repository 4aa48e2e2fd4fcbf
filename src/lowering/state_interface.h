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

/// Of a pipeline: how the stages were cut, which the model and the layout decide and a dump does
/// not say. `made`: what the passes made of both, up to that after which the dump was printed.
/// Programs are read without graphs, variables and steps of whole programs, of which stages are
/// made.
void take_cut(State& read, State made, PassStage stage);

}  // namespace mtfc::lowering
