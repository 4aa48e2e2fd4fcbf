#include "ir/named_values.h"

namespace mtfc {

std::map<std::string, ValueId> named_values(const Graph& graph) {
  std::map<std::string, ValueId> values;
  for (std::size_t i = 0; i < graph.values.size(); ++i)
    if (!graph.values[i].name.empty())
      values[graph.values[i].name] = ValueId{static_cast<std::int32_t>(i)};
  return values;
}

}  // namespace mtfc
