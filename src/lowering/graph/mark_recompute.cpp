#include "lowering/graph/mark_recompute.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/iterations.h"
#include "ops/inputs.h"
#include "ops/op.h"

namespace mtfc::lowering {
namespace {

bool is_sum(const Operation& op) { return op.op == "add" || op.op == "sub"; }

bool multiplies_parameters(const Operation& op, const std::vector<bool>& parameters) {
  if (ops::op_of(op).kind != ops::Kind::combine || op.operands.size() < 2) return false;
  const auto is_parameter = [&](ValueId operand) { return parameters[operand.at()]; };
  return std::any_of(op.operands.begin(), op.operands.end(), is_parameter) &&
         !std::all_of(op.operands.begin(), op.operands.end(), is_parameter);
}

/// By operation: products of examples with parameters, and sums in which alone their results are
/// used: with a bias or a residual stream in them these hold as much, or less where they are split
/// further.
std::vector<bool> find_products(const Graph& graph) {
  const std::vector<bool> parameters = made_of_variables(graph);
  std::vector<int> uses(graph.values.size());
  for (const Operation& op : graph.ops)
    for (const ValueId operand : op.operands) ++uses[operand.at()];
  std::vector<bool> found(graph.ops.size()), ends(graph.values.size());  // by value: of one of them
  for (std::size_t i = 0; i < graph.ops.size(); ++i) {
    const Operation& op = graph.ops[i];
    const auto is_term = [&](ValueId id) { return ends[id.at()] && uses[id.at()] == 1; };
    found[i] = multiplies_parameters(op, parameters) ||
               (is_sum(op) && std::any_of(op.operands.begin(), op.operands.end(), is_term));
    if (found[i]) ends[op.results[0].at()] = true;
  }
  return found;
}

/// An iteration, as far as one virtual stage has it; -1: no stage does.
using Part = std::pair<std::string, int>;
using Repeat = std::pair<std::string, int>;          // its path, the virtual stage
using Number = std::pair<std::size_t, std::string>;  // with its digits: longer ones are larger
using Iterations = std::map<Number, std::string>;    // their paths

int stage_of(const std::string& block, const std::optional<Stages>& stages) {
  return stages ? stages->of_block(block).value_or(-1) : -1;
}

std::map<Repeat, Iterations> repeats_of(const Graph& graph, const std::optional<Stages>& stages) {
  std::map<Repeat, Iterations> repeats;
  for (const Operation& op : graph.ops) {
    const std::string block = op.role.block.str(), iteration{iteration_of(block)};
    if (iteration.empty()) continue;
    const std::size_t dot = iteration.rfind('.');
    const std::string digits = iteration.substr(dot + 1);
    repeats[{iteration.substr(0, dot), stage_of(block, stages)}].try_emplace(
        {digits.size(), digits}, iteration);
  }
  return repeats;
}

/// What lies behind the first iterations of each `repeat`, in each virtual stage.
std::set<Part> kept_iterations(const Graph& graph, const LoweringOptions& options,
                               const std::optional<Stages>& stages) {
  std::set<Part> kept;
  if (options.recompute_iterations == 0) return kept;
  for (const auto& [repeat, iterations] : repeats_of(graph, stages)) {
    std::int32_t before = 0;
    for (const auto& [number, iteration] : iterations)
      if (before++ >= options.recompute_iterations) kept.emplace(iteration, repeat.second);
  }
  return kept;
}

}  // namespace

std::vector<bool> made_of_variables(const Graph& graph) {
  std::vector<bool> found(graph.values.size());
  for (const Operation& op : graph.ops) {
    const bool made =
        !op.operands.empty() && std::all_of(op.operands.begin(), op.operands.end(),
                                            [&](ValueId operand) { return found[operand.at()]; });
    for (const ValueId result : op.results)
      found[result.at()] = made || ops::variable_read(op) != nullptr;
  }
  return found;
}

void mark_recompute(Model& model, const LoweringOptions& options,
                    const std::optional<Stages>& stages) {
  std::map<std::string, int, std::less<>> tags;  // by iteration, of both graphs
  for (Graph* graph : {&model.train, &model.microbatch.graph}) {
    const std::vector<bool> products = find_products(*graph);
    const std::set<Part> kept = kept_iterations(*graph, options, stages);
    for (std::size_t i = 0; i < graph->ops.size(); ++i) {
      Operation& op = graph->ops[i];
      const std::string block = op.role.block.str();
      const std::string_view iteration = iteration_of(block);
      if (iteration.empty() || op.role.recompute != 0) continue;
      if (options.recompute_selective && products[i]) continue;
      if (kept.contains({std::string(iteration), stage_of(block, stages)})) continue;
      const auto [at, fresh] = tags.try_emplace(std::string(iteration),
                                                static_cast<int>(model.recompute_parents.size()));
      if (fresh) model.recompute_parents.push_back(0);
      op.role.recompute = at->second;
    }
  }
}

}  // namespace mtfc::lowering
