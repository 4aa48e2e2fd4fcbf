#include "lowering/stages/split_sums.h"

#include <map>

#include "lowering/graph/rewrite.h"
#include "ops/inputs.h"

namespace mtfc::lowering {
namespace {

/// A chunk of a stage. Each adds up for itself: what one contributes would be kept for each
/// micro-batch until another adds it.
struct Contributor {
  int stage = 0, chunk = 0;
  friend auto operator<=>(const Contributor&, const Contributor&) = default;

  std::string text() const {
    return std::to_string(stage) + (chunk > 0 ? "." + std::to_string(chunk) : "");
  }
};
using Shares = std::map<Contributor, std::vector<ValueId>>;

class SumSplitter {
 public:
  SumSplitter(Graph& graph, const SlotPlan& plan, Model& model, Assignment& assignment)
      : graph_(graph), plan_(plan), model_(model), assignment_(assignment) {}

  /// By variable: the further ones that `apply` adds to it.
  std::map<std::string, std::vector<Variable>> run() {
    const std::vector<Output> outputs = graph_.outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].kind != Output::Kind::accumulate) continue;
      const Operation& last = graph_.producer(outputs[i].value);
      // Sums over micro-batches have 32 bits at least: a cast comes last.
      const ValueId sum = last.op == "cast" ? last.operands[0] : outputs[i].value;
      Shares shares;
      collect(sum, shares);
      if (shares.size() > 1) split(i, shares);
    }
    return std::move(found_);
  }

 private:
  Contributor contributor_of(ValueId id) const {
    const int slot = plan_.slot[graph_.at(id).producer.at()];
    const Slot& one = plan_.slots[static_cast<std::size_t>(slot)];
    return {one.stage, one.chunk};
  }

  void collect(ValueId sum, Shares& shares) const {
    std::vector<ValueId> open{sum};
    while (!open.empty()) {
      const ValueId id = open.back();
      open.pop_back();
      const Operation& op = graph_.producer(id);
      bool adds = op.op == "add" && op.role.kind == StepRole::Kind::gradient;
      for (ValueId operand : op.operands)
        adds = adds && graph_.at(operand).type == graph_.at(id).type;
      if (adds)
        open.insert(open.end(), op.operands.rbegin(), op.operands.rend());
      else
        shares[contributor_of(id)].push_back(id);
    }
  }

  /// The first one keeps the variable.
  void split(std::size_t number, const Shares& shares) {
    const Output output = graph_.outputs[number];
    const DType dtype = graph_.at(output.value).type.dtype;
    bool first = true;
    for (const auto& [contributor, values] : shares) {
      ops::Builder build(graph_, model_.dims);
      build.follow(Operation(graph_.producer(values.front())));
      build.role.kind = StepRole::Kind::gradient;
      ValueId sum = values.front();
      for (std::size_t i = 1; i < values.size(); ++i) sum = build.binary("add", sum, values[i]);
      sum = build.cast(sum, dtype);
      if (first)
        graph_.outputs[number].value = sum;
      else
        graph_.outputs.push_back({output.kind, further(output.name, contributor), sum});
      first = false;
    }
  }

  std::string further(const std::string& path, const Contributor& contributor) {
    for (const Variable& variable : model_.variables) {
      if (variable.path != path) continue;
      Variable other = variable;
      other.path += "@" + contributor.text();
      if (const auto kept = assignment_.kept.find(path); kept != assignment_.kept.end())
        assignment_.kept[other.path] = Assignment::Kept(kept->second);
      found_[path].push_back(other);
      model_.variables.push_back(other);
      return other.path;
    }
    return path;
  }

  Graph& graph_;
  const SlotPlan& plan_;
  Model& model_;
  Assignment& assignment_;
  std::map<std::string, std::vector<Variable>> found_;
};

/// Where a variable is read, the further ones are added.
Graph adding(const Graph& graph, const DimTable& dims,
             const std::map<std::string, std::vector<Variable>>& further) {
  Graph result(graph.name);
  ops::Builder build(result, dims);
  Copier copier(graph, build);
  for (const Operation& op : graph.ops) {
    copier.copy_operation(op);
    const std::string* path = ops::variable_read(op);
    const auto found = path ? further.find(*path) : further.end();
    if (found == further.end()) continue;
    ValueId sum = copier.copy(op.results[0]);
    for (const Variable& variable : found->second)
      sum = build.binary("add", sum, build.read(variable.path, variable.type));
    copier.replace(op.results[0], sum);
  }
  carry_over(graph, result, [&](ValueId old) { return copier.copy(old); });
  return result;
}

}  // namespace

void split_sums(Graph& accumulate, Graph& apply, const SlotPlan& plan, Model& model,
                Assignment& assignment) {
  const auto further = SumSplitter(accumulate, plan, model, assignment).run();
  if (further.empty()) return;
  accumulate = share_operations(accumulate, model.dims);
  apply = adding(apply, model.dims, further);
}

}  // namespace mtfc::lowering
