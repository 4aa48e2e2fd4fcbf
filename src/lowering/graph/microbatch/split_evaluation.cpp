#include "lowering/graph/microbatch/split_evaluation.h"

#include <algorithm>

#include "lowering/graph/consecutive_examples.h"
#include "lowering/graph/microbatch/example_flow.h"
#include "lowering/graph/microbatch/on_microbatch.h"
#include "lowering/graph/rewrite.h"
#include "ops/literals.h"
#include "ops/mean.h"
#include "ops/op.h"
#include "ops/view.h"

namespace mtfc::lowering {
namespace {

bool carries_examples(const DimList& dims, const Microbatch& micro) {
  return std::any_of(dims.begin(), dims.end(), [&](DimId dim) { return micro.of_batch(dim); });
}

/// All inputs have one dimension of examples, the first of each, and no parameter has one.
bool one_dim_of_examples(const Model& model, const Microbatch& micro) {
  const DimId examples = evaluated_examples(model);
  return std::all_of(model.inputs.begin(), model.inputs.end(),
                     [&](const Input& input) {
                       const DimList& dims = input.type.dims;
                       return !dims.empty() && dims[0] == examples &&
                              !carries_examples({dims.begin() + 1, dims.end()}, micro);
                     }) &&
         std::none_of(model.variables.begin(), model.variables.end(),
                      [&](const Variable& v) { return carries_examples(v.type.dims, micro); });
}

/// A view of one part is as long on both sides.
bool fits(const std::vector<DimGroup>& groups, const Microbatch& micro, const DimTable& dims) {
  const auto size = [&](const DimList& list) {
    std::int64_t all = 1;
    for (DimId dim : list) all *= dims.size(dim) / (micro.of_batch(dim) ? micro.count : 1);
    return all;
  };
  return std::all_of(groups.begin(), groups.end(),
                     [&](const DimGroup& g) { return size(g.from) == size(g.to); });
}

/// Each example goes its own way through it.
bool can_be_split(const Operation& op, const Graph& graph, const Microbatch& micro,
                  const DimTable& dims) {
  const DimId indexed = ops::index_dim(op);
  const std::vector<DimGroup>* groups = ops::view_groups(op);
  return !needs_whole_batch(op, graph, micro).valid() && !is_composite_along_examples(op, micro) &&
         !(indexed.valid() && micro.of_batch(indexed)) &&
         (groups == nullptr || fits(*groups, micro, dims));
}

/// Outputs, and what texts are generated from.
std::vector<bool> needed_anywhere(const Model& model) {
  Graph graph = model.eval;
  if (model.generation)
    for (const ValueId id : {model.generation->logits, model.generation->tokens})
      graph.outputs.push_back({Output::Kind::tensor, "", id});
  return needed_operations(graph);
}

/// The evaluation on one part of a batch.
struct SplitGraph {
  Graph graph;
  std::optional<Generation> generation;  // in this graph
};

SplitGraph on_part(const Model& model, const std::vector<bool>& needed, const Microbatch& micro) {
  const Graph& whole = model.eval;
  SplitGraph part{{}, model.generation};
  part.graph.name = whole.name;
  MicrobatchCopier copier(whole, part.graph, model.dims, micro);
  for (std::size_t i = 0; i < whole.ops.size(); ++i)
    if (needed[i]) copier.copy(whole.ops[i]);
  carry_over(whole, part.graph, [&](ValueId id) { return copier.at(id); });
  if (!part.generation) return part;
  for (ValueId* id : {&part.generation->logits, &part.generation->tokens}) *id = copier.at(*id);
  if (const ExampleDim* rows = micro.of_batch(part.generation->rows))
    part.generation->rows = rows->micro;
  return part;
}

/// Aliases, those of training where it has them.
void add_aliases(Model& model, Microbatch& micro) {
  for (ExampleDim& d : micro.dims) {
    const ExampleDim* trained = model.microbatch.of_batch(d.batch);
    d.micro = trained ? trained->micro : add_alias(model.dims, d.batch, micro.count);
  }
}

/// Examples meet in means over everything alone, from which none is computed again.
bool all_is_pooled(const Graph& part, const DimTable& dims, const Microbatch& micro) {
  const ExampleFlow flow(part, dims, micro);
  Diagnostics found;
  flow.warn(found);
  return found.all().empty() &&
         std::all_of(part.ops.begin(), part.ops.end(), [&](const Operation& op) {
           return !flow.ends(op) || ops::is_whole_mean(part, op);
         });
}

}  // namespace

void split_evaluation(Model& model) {
  Microbatch micro;
  micro.count = model.settings.microbatches;
  const DimId examples = evaluated_examples(model);
  if (micro.count <= 1 || !has_loss(model.eval) || !examples.valid() ||
      model.dims.size(examples) % micro.count != 0)
    return;
  for (const auto& [dim, positions] : consecutive_examples(examples, model.eval, model.dims))
    micro.dims.push_back({dim, {}, positions, {}});
  if (!one_dim_of_examples(model, micro)) return;
  const std::vector<bool> needed = needed_anywhere(model);
  for (std::size_t i = 0; i < needed.size(); ++i)
    if (needed[i] && !can_be_split(model.eval.ops[i], model.eval, micro, model.dims)) return;
  const DimTable before = model.dims;
  add_aliases(model, micro);
  SplitGraph part = on_part(model, needed, micro);
  if (!all_is_pooled(share_operations(part.graph, model.dims), model.dims, micro)) {
    model.dims = before;
    return;
  }
  model.eval = std::move(part.graph);
  model.generation = std::move(part.generation);
  model.evaluation = {micro.count, micro.of_batch(examples)->micro};
}

}  // namespace mtfc::lowering
