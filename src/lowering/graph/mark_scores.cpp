#include "lowering/graph/mark_scores.h"

#include <algorithm>
#include <set>

#include "lowering/graph/large_scores.h"
#include "lowering/graph/mark_recompute.h"
#include "ops/op.h"
#include "support/rounding.h"

namespace mtfc::lowering {
namespace {

/// Of one processor's shard.
std::int64_t local_elements(const TensorType& type, const DimTable& dims,
                            const Assignment& assignment) {
  std::int64_t elements = 1;
  for (const DimId dim : type.dims) {
    std::int64_t parts = 1;
    for (const AxisId axis : assignment.axes(dim)) parts *= assignment.mesh.size(axis);
    elements *= ceil_div(dims.size(dim), parts);
  }
  return elements;
}

std::int64_t terms_of(const Operation& product, const Graph& graph, const DimTable& dims) {
  std::set<DimId> reduced;
  for (const ValueId operand : product.operands)
    for (const DimId dim : graph.at(operand).type.dims) reduced.insert(dim);
  for (const DimId dim : graph.at(product.results[0]).type.dims) reduced.erase(dim);
  std::int64_t terms = 1;
  for (const DimId dim : reduced) terms *= dims.size(dim);
  return terms;
}

bool is_product(const Operation& op) { return ops::op_of(op).kind == ops::Kind::combine; }

/// Positions, constants, samples.
bool reads_no_tensor(const Operation& op, const Graph& graph) {
  const ops::Kind kind = ops::op_of(op).kind;
  return kind == ops::Kind::literal || kind == ops::Kind::random ||
         (kind == ops::Kind::elementwise &&
          std::all_of(op.operands.begin(), op.operands.end(),
                      [&](ValueId operand) { return graph.at(operand).type.dims.empty(); }));
}

/// Tags what is made of one product in its shape, with the products that sum it up, whose gradients
/// read it, and the constants and samples that it needs.
void mark(Graph& graph, std::size_t product, int tag) {
  std::vector<bool> made(graph.values.size());
  const DimList shape = graph.at(graph.ops[product].results[0]).type.dims;
  const auto is_as_large = [&](ValueId value) {
    return graph.at(value).type.dims.size() >= shape.size();
  };
  const auto take = [&](Operation& op) {
    op.role.recompute = tag;
    for (const ValueId result : op.results) made[result.at()] = true;
  };
  take(graph.ops[product]);
  std::size_t last = product;
  for (std::size_t i = product + 1; i < graph.ops.size(); ++i) {
    Operation& op = graph.ops[i];
    if (op.role.recompute != 0 || op.results.size() != 1) continue;
    const bool reads = std::any_of(op.operands.begin(), op.operands.end(),
                                   [&](ValueId operand) { return made[operand.at()]; });
    if (!reads) continue;
    if (is_product(op)) {
      op.role.recompute = tag;
    } else if (is_as_large(op.results[0])) {
      take(op);
      last = i;
    }
  }
  std::set<ValueId> read;
  for (std::size_t i = last + 1; i-- > 0;) {
    Operation& op = graph.ops[i];
    const bool wanted = op.results.size() == 1 && read.contains(op.results[0]);
    if (op.role.recompute == 0 && wanted && reads_no_tensor(op, graph)) op.role.recompute = tag;
    if (op.role.recompute == tag) read.insert(op.operands.begin(), op.operands.end());
  }
}

}  // namespace

std::vector<std::size_t> large_scores(const Graph& graph, const DimTable& dims,
                                      const Assignment& assignment) {
  std::vector<std::size_t> found;
  if (!assignment.stages || assignment.options.store_scores) return found;
  const std::vector<bool> parameters = made_of_variables(graph);
  const auto elements = [&](ValueId value) {
    return local_elements(graph.at(value).type, dims, assignment);
  };
  for (std::size_t i = 0; i < graph.ops.size(); ++i) {
    const Operation& op = graph.ops[i];
    if (!is_product(op) || op.operands.size() != 2 || op.role.recompute != 0) continue;
    const ValueId result = op.results[0];
    const std::int64_t all = elements(result);
    const bool is_larger = std::all_of(op.operands.begin(), op.operands.end(), [&](ValueId factor) {
      return !parameters[factor.at()] && elements(factor) <= all / kMuchLarger;
    });
    const auto bytes = static_cast<std::int64_t>(size_of(graph.at(result).type.dtype)) * all;
    if (is_larger && bytes >= kLeastBytes && terms_of(op, graph, dims) <= kMostTerms)
      found.push_back(i);
  }
  return found;
}

void mark_scores(Model& model, const Assignment& assignment) {
  for (Graph* graph : {&model.train, &model.microbatch.graph})
    for (const std::size_t product : large_scores(*graph, model.dims, assignment)) {
      mark(*graph, product, static_cast<int>(model.recompute_parents.size()));
      model.recompute_parents.push_back(0);
    }
}

}  // namespace mtfc::lowering
