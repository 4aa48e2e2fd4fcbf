// Who includes whom in src/, and circles in it.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace mtfc::test {

/// Node -> what it leads to. Of files: their paths below src/.
using Edges = std::map<std::string, std::set<std::string>>;

/// `#include "..."` of headers, sources, `.inc` and `.def` files, as far as it names one of them.
Edges include_graph();

/// The same between groups of nodes: folders, or units of a header with its source.
Edges between(const Edges& edges, const std::function<std::string(const std::string&)>& group);

/// Groups of nodes that lead to each other, each joined by spaces in alphabetical order.
std::set<std::string> circles(const Edges& edges);

/// Everything that can be reached from each node.
Edges closure(const Edges& edges);

/// The rooms of src/ and what each links, as the build says (mtfc_room in CMakeLists.txt).
Edges linked_rooms();

std::string folder_of(const std::string& path);  // "lowering/spmd"
std::string room_of(const std::string& path);    // "lowering"
std::string unit_of(const std::string& path);    // without the ending

}  // namespace mtfc::test
