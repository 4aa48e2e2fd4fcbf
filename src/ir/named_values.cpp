#include "ir/named_values.h"

namespace mtfc {

std::map<std::string, ValueId> named_values(const Graph& graph) {
  std::map<std::string, ValueId> values;
  for (std::size_t i = 0; i < graph.values.size(); ++i)
    if (!graph.values[i].name.empty())
      values[graph.values[i].name] = ValueId{static_cast<std::int32_t>(i)};
  return values;
}

std::string computed_name(const Graph& graph, const std::string& name) {
  const std::map<std::string, ValueId> values = named_values(graph);
  const auto found = values.find(name);
  if (found == values.end()) return "";
  const auto rank = [&](ValueId id) { return graph.at(id).type.dims.size(); };
  ValueId id = found->second;
  while (graph.at(id).producer.valid()) {
    const Operation& op = graph.producer(id);
    if (op.op != "broadcast" || rank(op.operands[0]) != rank(id))
      break;  // else the order of dimensions
    id = op.operands[0];
  }
  return graph.at(id).name.str();
}

}  // namespace mtfc
