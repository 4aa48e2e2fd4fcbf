// The block instances of a graph, and which of them globs mean.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace mtfc::lowering {

/// Every block instance and those around it, in the order in which the graph comes to them.
std::vector<std::string> block_instances(const Graph& graph);
/// Their paths, iterations as one: "layers.*.attn".
std::set<std::string> block_paths(const Graph& graph);
/// An example for messages: of the paths that several instances have the outermost; else any.
std::string repeated_block(const Graph& graph);
/// Those that one of the globs means, without what is nested in one of these.
std::vector<std::string> matching(const std::vector<std::string>& globs, const Graph& graph);

}  // namespace mtfc::lowering
