#include "ir/iterations.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace mtfc {

std::string_view iteration_of(std::string_view block) {
  for (std::size_t begin = 0; begin < block.size();) {
    const std::size_t end = std::min(block.find('.', begin), block.size());
    const std::string_view segment = block.substr(begin, end - begin);
    if (begin > 0 && segment.find_first_not_of("0123456789") == segment.npos)
      return block.substr(0, end);
    begin = end + 1;
  }
  return {};
}

std::int64_t most_iterations(const Graph& graph) {
  std::map<std::string_view, std::set<std::string_view>>
      repeats;  // by path, which lives in the graph
  for (const Operation& op : graph.ops)
    if (const std::string_view iteration = iteration_of(op.role.block.str()); !iteration.empty())
      repeats[iteration.substr(0, iteration.rfind('.'))].insert(iteration);
  std::size_t most = 0;
  for (const auto& [repeat, iterations] : repeats) most = std::max(most, iterations.size());
  return static_cast<std::int64_t>(most);
}

}  // namespace mtfc
