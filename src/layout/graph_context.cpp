#include "layout/graph_context.h"

#include <algorithm>

namespace mtfc::lowering {

VariableTable::VariableTable(std::vector<ModuleVariable>& variables) : list_(variables) {
  for (std::size_t i = 0; i < list_.size(); ++i) index_[list_[i].path] = i;
}

bool accumulates(const Graph& graph) {
  return std::any_of(graph.outputs.begin(), graph.outputs.end(),
                     [](const Output& o) { return o.kind == Output::Kind::accumulate; });
}

}  // namespace mtfc::lowering
