#include "ir/named_values.h"

namespace mtfc {

std::map<std::string, ValueId> named_values(const Graph& graph) {
  std::map<std::string, ValueId> values;
  for (std::size_t i = 0; i < graph.values.size(); ++i)
    if (!graph.values[i].name.empty())
      values[graph.values[i].name] = ValueId{static_cast<std::int32_t>(i)};
  return values;
}

ValueId copied_value(const Graph& graph, ValueId id) {
  const auto rank = [&](ValueId of) { return graph.at(of).type.dims.size(); };
  while (graph.at(id).producer.valid()) {
    const Operation& op = graph.producer(id);
    if (op.op != "broadcast" || rank(op.operands[0]) != rank(id)) break;
    id = op.operands[0];
  }
  return id;
}

std::string computed_name(const Graph& graph, const std::string& name) {
  const std::map<std::string, ValueId> values = named_values(graph);
  const auto found = values.find(name);
  if (found == values.end()) return "";
  return graph.at(copied_value(graph, found->second)).name.str();
}

}  // namespace mtfc
