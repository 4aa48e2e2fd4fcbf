#include "plan/space/sum_paths.h"

#include <algorithm>
#include <map>
#include <optional>

#include "ir/instr/all.h"
#include "ir/iterations.h"
#include "ops/op.h"
#include "plan/space/examples.h"

namespace mtfc::plan {
namespace {

/// Operands of which all combinations are asked for; an operation with more is taken to pass any.
constexpr std::size_t most_operands = 6;

/// Whether partial sums may pass from this operand to the result, whichever others are partial.
bool may_pass(const Graph& graph, const Operation& op, std::size_t operand) {
  // What it may be taken apart into.
  if (ops::op_of(op).blockwise) return true;
  const InstructionKind kind = ops::local_instruction(op, graph);
  // Completed before, where the sum is never larger (layout/partial_sums.h).
  if (std::holds_alternative<Contract>(kind)) return false;
  const std::size_t count = op.operands.size();
  if (count > most_operands) return true;
  for (std::size_t set = 0; set < std::size_t{1} << count; ++set) {
    if (!(set >> operand & 1)) continue;
    std::vector<ShardType> types;
    for (std::size_t i = 0; i < count; ++i) {
      const TensorType& type = graph.at(op.operands[i]).type;
      types.push_back({type, {std::vector<std::vector<AxisId>>(type.dims.size()), {}}});
      if (set >> i & 1) types.back().sharding.partial = {AxisId{0}};
    }
    if (partial_of(kind, ShardTypes(types))) return true;
  }
  return false;
}

class Paths {
 public:
  Paths(const Graph& graph, const DimTable& dims, const std::set<std::string>& examples)
      : graph_(graph), dims_(dims), examples_(examples), next_(graph.values.size()) {}

  std::vector<std::vector<SumPath>> run() {
    for (std::size_t i = 0; i < graph_.ops.size(); ++i)
      for (std::size_t o = 0; o < graph_.ops[i].operands.size(); ++o)
        uses_[graph_.ops[i].operands[o]].push_back({i, o});
    for (auto op = graph_.ops.rbegin(); op != graph_.ops.rend(); ++op)
      for (const ValueId result : op->results) find_next(result);
    for (const Operation& op : graph_.ops)
      if (const auto path = path_of(op)) add(*path);
    return std::move(groups_);
  }

 private:
  struct Use {
    std::size_t op, operand;
  };
  /// Of a value that some path leads on from.
  struct Next {
    double least = 0;  // bytes of the smallest value from here to the end
    ValueId value;     // not valid: here is the end
  };

  bool has_examples(const TensorType& type) const {
    return std::any_of(type.dims.begin(), type.dims.end(),
                       [&](DimId dim) { return examples_.contains(dims_[dim].name); });
  }
  bool counts(ValueId id) const {
    const StepRole& role = graph_.producer(id).role;
    return role.kind != StepRole::Kind::update && !iteration_of(role.block.str()).empty() &&
           has_examples(graph_.at(id).type);
  }

  void find_next(ValueId id) {
    if (!counts(id)) return;
    const double bytes = bytes_of(dims_, graph_.at(id).type);
    std::optional<Next> best;
    for (const Use& use : uses_[id]) {
      const Operation& op = graph_.ops[use.op];
      // Sums of gradients need not be waited for.
      if (op.role.kind == StepRole::Kind::update) continue;
      if (!may_pass(graph_, op, use.operand)) {
        best = Next{bytes, {}};
        break;
      }
      const ValueId result = op.results.front();
      if (const std::optional<Next>& after = next_[result.at()])
        if (const double least = std::min(bytes, after->least); !best || least > best->least)
          best = Next{least, result};
    }
    next_[id.at()] = best;
  }

  std::optional<SumPath> path_of(const Operation& op) const {
    if (!next_[op.results.front().at()]) return std::nullopt;
    const InstructionKind kind = ops::local_instruction(op, graph_);
    const auto* product = std::get_if<Contract>(&kind);
    if (product == nullptr) return std::nullopt;
    SumPath path{product->reduced, {}};
    for (ValueId at = op.results.front(); at.valid(); at = next_[at.at()]->value)
      path.values.push_back(at);
    return path;
  }

  void add(const SumPath& path) {
    std::vector<SumPath> group = {path};
    const auto meets = [&](const std::vector<SumPath>& other) {
      return std::any_of(other.begin(), other.end(), [&](const SumPath& one) {
        return std::find_first_of(one.values.begin(), one.values.end(), path.values.begin(),
                                  path.values.end()) != one.values.end();
      });
    };
    for (std::vector<SumPath>& other : groups_)
      if (meets(other)) group.insert(group.end(), other.begin(), other.end()), other.clear();
    std::erase_if(groups_, [](const std::vector<SumPath>& one) { return one.empty(); });
    groups_.push_back(std::move(group));
  }

  const Graph& graph_;
  const DimTable& dims_;
  const std::set<std::string>& examples_;
  std::map<ValueId, std::vector<Use>> uses_;
  std::vector<std::optional<Next>> next_;  // by value
  std::vector<std::vector<SumPath>> groups_;
};

}  // namespace

double bytes_of(const DimTable& dims, const TensorType& type) {
  return static_cast<double>(elements(dims, type.dims)) * static_cast<double>(size_of(type.dtype));
}

std::vector<std::vector<SumPath>> sum_paths(const Graph& graph, const DimTable& dims,
                                            const std::set<std::string>& examples) {
  return Paths(graph, dims, examples).run();
}

}  // namespace mtfc::plan
