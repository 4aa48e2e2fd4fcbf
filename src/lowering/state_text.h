// The state between two passes as text: what --dump-after prints and --start-from reads.
#pragma once
#include <string>

#include "lowering/pipeline.h"

namespace mtfc::lowering {

/// Graphs with dimensions and how they are split, mesh, options, variables, inputs and the step's
/// programs; from `lower` on the module. Settings and requests are those of the command, and are
/// not part of it.
std::string print(const State& state, const Pass& after);

/// Into a state that start() made for the same model and request. The pass after which the text was
/// printed; null, with `error`, if it is no such text. A module alone counts as after the last one.
const Pass* read_state(const std::string& text, State& state, std::string& error,
                       const SourceMap* sources = nullptr);

}  // namespace mtfc::lowering
