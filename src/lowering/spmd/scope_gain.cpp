#include "lowering/spmd/scope_gain.h"

#include "ir/scope_finder.h"
#include "layout/assign.h"
#include "layout/axis_conflicts.h"
#include "layout/resolve_graph.h"
#include "layout/uneven.h"
#include "lowering/graph/rewrite.h"
#include "support/text.h"

namespace mtfc::lowering {
namespace {

/// What the forward pass is under an assignment.
struct Forward {
  std::vector<std::int64_t> elements;  // by value: of its shard
  std::vector<double> work, sent;      // by operation: FLOPs, bytes that its moves send
  double total_sent = 0;
};

Forward forward_of(const Graph& graph, const Model& model, const Assignment& assignment) {
  std::vector<ModuleVariable> list = assign(model.variables, assignment);
  VariableTable variables(list);
  const std::vector<Sharding> table = assign(graph, assignment);
  MoveTable moves(model.dims, assignment.mesh);
  const ResolvedGraph resolved =
      resolve_graph(graph, {model.dims, assignment, table, variables}, moves);
  Forward found;
  for (std::size_t v = 0; v < table.size(); ++v)
    found.elements.push_back(
        shard_elements(model.dims, assignment.mesh, {graph.values[v].type, table[v]}));
  for (const ResolvedGraph::Op& op : resolved.ops) {
    std::vector<ShardType> in;
    for (std::size_t k = 0; k < op.form.operands.size(); ++k)
      in.push_back({op.form.operands[k], op.made.operands[k].sharding});
    const std::vector<ShardType> out{{op.form.result, op.made.made}};
    found.work.push_back(
        flops_of(*op.form.local, {model.dims, assignment.mesh, ShardTypes(in), ShardTypes(out)}));
    found.sent.push_back(op.made.sent_bytes);
  }
  found.total_sent = resolved.sent_bytes;
  return found;
}

template <class T>
bool any_less(const std::vector<T>& a, const std::vector<T>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] < b[i]) return true;
  return false;
}

bool gains(const Forward& with, const Forward& without) {
  return any_less(with.elements, without.elements) || any_less(with.work, without.work) ||
         with.total_sent < without.total_sent;
}

Diagnostic useless(const Assignment::Scope& scope, const Graph& graph, const Forward& with,
                   const Forward& without) {
  const std::string name = std::string(mtfc::name(scope.kind)) + " \"" + scope.glob + "\"";
  const double more = with.total_sent - without.total_sent;
  const bool larger =
      any_less(without.elements, with.elements) || any_less(without.work, with.work);
  Diagnostic d = diag(DiagKind::useless_scope, more > 0 || larger
                                                   ? "scope `" + name + "` costs and gains nothing"
                                                   : "scope `" + name + "` changes nothing");
  d.at(scope.span, more > 0 || larger ? "no shard is smaller and no operation works less with it"
                                      : "the same shards and moves without it");
  if (more > 0) {
    std::size_t most = 0;
    for (std::size_t i = 0; i < with.sent.size(); ++i)
      if (with.sent[i] - without.sent[i] > with.sent[most] - without.sent[most]) most = i;
    d.labels.push_back({graph.ops[most].origin.span, "most of it is moved here", false});
    d.notes.push_back("each processor sends " + with_commas(static_cast<std::int64_t>(more)) +
                      " bytes more in a forward pass; backward about as much again");
  } else if (larger) {
    d.notes.push_back("it sends no less, and values or work are larger");
  }
  return d.help("without it the layout is legal too: remove it");
}

}  // namespace

std::vector<UselessScope> useless_scopes(const Model& model, const Assignment& assignment) {
  std::vector<UselessScope> found;
  if (assignment.scopes.empty() || !uneven_dims(model.dims, model.variables, assignment).empty())
    return found;
  std::optional<Graph> graph;  // the forward pass; made for the first scope that is not needed
  Forward with;
  for (std::size_t i = 0; i < assignment.scopes.size(); ++i) {
    const Assignment::Scope& scope = assignment.scopes[i];
    if (scope.splits.empty()) continue;
    Assignment other = assignment;
    other.scopes[i].splits.clear();
    if (!is_legal(model, other)) continue;
    if (!graph) {
      graph = model.train;
      ScopeFinder finder(assignment);
      for (Operation& op : graph->ops) op.role.scopes = finder.of(*graph, op);
      graph = expand(std::move(*graph), model.dims, false);
      with = forward_of(*graph, model, assignment);
    }
    const Forward without = forward_of(*graph, model, other);
    if (!gains(with, without))
      found.push_back({std::move(other), useless(scope, *graph, with, without)});
  }
  return found;
}

}  // namespace mtfc::lowering
