#include "layout/stages.h"

#include <algorithm>
#include <limits>

#include "layout/block_instances.h"
#include "ops/inputs.h"

namespace mtfc::lowering {

const Graph& cut_graph(const Model& model) {
  if (model.microbatch.count > 1) return model.microbatch.graph;
  return model.train.ops.empty() ? model.eval : model.train;
}

std::vector<std::int64_t> even_blocks(std::int64_t blocks, std::int64_t stages) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(stages), blocks / stages);
  for (std::int64_t i = 0; i < blocks % stages; ++i) ++sizes[static_cast<std::size_t>(i)];
  return sizes;
}

std::vector<std::string> block_instances(const Model& model) {
  return block_instances(cut_graph(model));
}

std::vector<std::string> blocks_matching(const std::vector<std::string>& globs,
                                         const Model& model) {
  return matching(globs, cut_graph(model));
}

std::vector<int> stages_of(const Graph& graph, const GivenStage& given) {
  std::vector<int> stage(graph.ops.size(), -1);
  for (std::size_t i = 0; i < graph.ops.size(); ++i) {
    std::vector<int> operands;
    for (ValueId operand : graph.ops[i].operands)
      operands.push_back(stage[graph.at(operand).producer.at()]);
    if (const std::optional<int> known = given(graph.ops[i], operands))
      stage[i] = *known;
    else if (!operands.empty())
      stage[i] = *std::max_element(operands.begin(), operands.end());
  }
  // What is computed from nothing of a stage is computed where it is first used.
  constexpr int never = std::numeric_limits<int>::max();
  std::vector<int> first(graph.ops.size(), never);
  for (std::size_t i = graph.ops.size(); i-- > 0;) {
    if (stage[i] < 0 && first[i] < never) stage[i] = first[i];
    if (stage[i] < 0) continue;
    for (ValueId operand : graph.ops[i].operands) {
      int& earliest = first[graph.at(operand).producer.at()];
      earliest = std::min(earliest, stage[i]);
    }
  }
  return stage;
}

std::vector<int> stages_of(const Graph& graph, const Stages& stages) {
  return stages_of(graph, [&](const Operation& op, const std::vector<int>&) {
    return stages.of_block(op.role.block);
  });
}

std::map<std::string, int> first_readers(const Graph& graph, const std::vector<int>& stage) {
  std::map<std::string, int> found;
  for (std::size_t i = 0; i < graph.ops.size(); ++i)
    if (const std::string* read = ops::variable_read(graph.ops[i])) {
      int& first = found.emplace(*read, stage[i]).first->second;
      first = std::min(first, stage[i]);
    }
  return found;
}

std::map<std::string, int> homes_of(const Model& model, const Stages& stages) {
  const Graph& graph = cut_graph(model);
  std::map<std::string, int> homes = first_readers(graph, stages_of(graph, stages));
  for (auto& [path, home] : homes) home = stages.stage_of(std::max(home, 0));
  return homes;
}

}  // namespace mtfc::lowering
