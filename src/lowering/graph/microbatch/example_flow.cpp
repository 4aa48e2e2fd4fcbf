#include "lowering/graph/microbatch/example_flow.h"
#include "ops/mean.h"
#include "ops/op.h"
#include "ops/reduce.h"

#include <algorithm>

namespace mtfc::lowering {

ExampleFlow::ExampleFlow(const Graph& graph, const DimTable& dims, const Microbatch& micro)
    : graph_(graph),
      table_(dims),
      micro_(micro),
      dims_(graph.values.size()),
      depends_(graph.values.size()) {
  for (const Operation& op : graph.ops) {
    bool depends = false;
    for (ValueId operand : op.operands) depends = depends || depends_[operand.at()];
    for (ValueId result : op.results) {
      const DimList& list = graph.at(result).type.dims;
      dims_[result.at()] = static_cast<int>(std::count_if(
          list.begin(), list.end(), [&](DimId dim) { return micro.of_micro(dim) != nullptr; }));
      depends_[result.at()] = depends || has(result);
    }
  }
}

bool ExampleFlow::ends(const Operation& op) const {
  return !has(op.results[0]) &&
         std::any_of(op.operands.begin(), op.operands.end(), [&](ValueId id) { return has(id); });
}

bool ExampleFlow::adds_up(const Operation& op) const {
  const ops::OpDef& def = ops::op_of(op);
  return (def.kind == ops::Kind::combine || def.kind == ops::Kind::scatter) &&
         def.factors(op, graph_).combine == Combine::sum;
}

std::optional<Combine> ExampleFlow::decides(const Operation& op) const {
  const std::optional<Combine> combine = ops::reduction(op);
  const bool truths = graph_.at(op.results[0]).type.dtype == DType::boolean;
  return truths && combine && *combine != Combine::sum ? combine : std::nullopt;
}

bool ExampleFlow::joins(const Operation& op) const {
  DimList all;
  for (const ValueId operand : op.operands)
    for (const DimId dim : graph_.at(operand).type.dims)
      if (micro_.of_micro(dim)) all = union_of(all, {dim});
  return all.size() > 1;
}

std::string ExampleFlow::over(const Operation& op) const {
  for (ValueId id : op.operands) {
    for (DimId dim : graph_.at(id).type.dims) {
      if (micro_.of_micro(dim)) return "`" + table_[dim].name + "`";
    }
  }
  return "the batch";
}

Diagnostic ExampleFlow::warning(const Operation& op, const std::string& why) const {
  const auto reduction = ops::reduction(op);
  const std::string name = reduction ? std::string(mtfc::name(*reduction)) : op.op;
  Diagnostic d = diag(DiagKind::on_each_part,
                      "`" + name + "` over " + over(op) + " is computed on each micro-batch alone");
  d.at(op.origin.span, why);
  if (!op.role.block.empty()) d.note("in `" + op.role.block.str() + "`");
  d.note("so the results differ from those of `microbatches = 1`");
  return d;
}

/// The operations behind a total that examples are computed from again, by `user`.
void ExampleFlow::mark_used_again(ValueId total, const Operation& user,
                                  std::vector<const Operation*>& marked) const {
  std::vector<ValueId> stack{total};
  while (!stack.empty()) {
    const OpId producer = graph_.at(stack.back()).producer;
    stack.pop_back();
    if (marked[producer.at()]) continue;
    marked[producer.at()] = &user;
    for (ValueId operand : graph_.at(producer).operands) {
      if (is_total(operand)) stack.push_back(operand);
    }
  }
}

void ExampleFlow::warn(Diagnostics& diagnostics) const {
  std::vector<const Operation*> again(graph_.ops.size());
  for (const Operation& op : graph_.ops) {
    if (!has(op.results[0]) && !ends(op)) continue;
    for (ValueId operand : op.operands) {
      if (is_total(operand)) mark_used_again(operand, op, again);
    }
  }
  for (std::size_t i = 0; i < graph_.ops.size(); ++i) {
    const Operation& op = graph_.ops[i];
    const auto pairs = [&](ValueId id) { return dims_[id.at()] > 1; };
    if ((pairs(op.results[0]) || joins(op)) &&
        std::none_of(op.operands.begin(), op.operands.end(), pairs)) {
      diagnostics.report(warning(op, "pairs of examples: those of one micro-batch only"));
    } else if (ends(op) && again[i]) {
      Diagnostic d = warning(op, "what follows is computed from it example by example");
      // Of equal operations one is left, which stands at the first of their lines.
      if (const Span use = again[i]->origin.span; use.valid() && use != op.origin.span)
        d.also(use, "as here");
      diagnostics.report(std::move(d));
    } else if (ends(op) && !adds_up(op) && !decides(op) && !ops::is_mean(op)) {
      diagnostics.report(warning(op, "the mean of the micro-batches' values is taken"));
    }
  }
}

}  // namespace mtfc::lowering
