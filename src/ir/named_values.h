// The values of a graph that have a name in the model.
#pragma once
#include <map>
#include <string>

#include "ir/graph.h"

namespace mtfc {

/// The last value of each name: the one that the name means.
std::map<std::string, ValueId> named_values(const Graph& graph);

/// What it is a copy of, its dimensions in this or another order; itself, if of none.
ValueId copied_value(const Graph& graph, ValueId id);

/// The name of what is computed for a name: of a value that is another one as it is, as `logits` in
/// `logits[batch, class] = dense@head(...)`, that one's. Empty: nothing has the name, or that has
/// none.
std::string computed_name(const Graph& graph, const std::string& name);

}  // namespace mtfc
