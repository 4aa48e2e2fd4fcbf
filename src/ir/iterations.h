// Which blocks are iterations of a `repeat`.
#pragma once
#include <cstdint>
#include <string_view>

#include "ir/graph.h"

namespace mtfc {

/// "layers.3" of the block "layers.3.attn.q"; empty: it is in no iteration.
std::string_view iteration_of(std::string_view block);

/// The most iterations that one `repeat` of the graph has; 0: there is none.
std::int64_t most_iterations(const Graph& graph);

}  // namespace mtfc
