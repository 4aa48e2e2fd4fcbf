// The values of a graph that have a name in the model.
#pragma once
#include <map>
#include <string>

#include "ir/graph.h"

namespace mtfc {

/// The last value of each name: the one that the name means.
std::map<std::string, ValueId> named_values(const Graph& graph);

}  // namespace mtfc
