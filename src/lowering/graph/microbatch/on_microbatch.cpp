#include "lowering/graph/microbatch/on_microbatch.h"

#include <algorithm>

#include "ops/mean.h"
#include "ops/op.h"
#include "ops/window.h"

namespace mtfc::lowering {

DimId add_alias(DimTable& dims, DimId batch, std::int64_t count) {
  Dim micro = dims[batch];
  micro.unique_name.clear();
  micro.size /= count;
  micro.microbatches = count;
  micro.formula = micro.name + " / microbatches";
  micro.origin = "microbatches = " + std::to_string(count);
  return dims.add(std::move(micro));
}

DimList on_microbatch(DimList dims, const Microbatch& micro) {
  for (DimId& dim : dims)
    if (const ExampleDim* d = micro.of_batch(dim)) dim = d->micro;
  return dims;
}

Attrs on_microbatch(const Attrs& attrs, const Microbatch& micro) {
  Attrs result;
  for (const auto& [name, value] : attrs.all()) {
    if (const auto* dims = std::get_if<DimList>(&value)) {
      result.set(name, on_microbatch(*dims, micro));
    } else if (const auto* groups = std::get_if<std::vector<DimGroup>>(&value)) {
      std::vector<DimGroup> split;
      for (const DimGroup& g : *groups)
        split.push_back({on_microbatch(g.from, micro), on_microbatch(g.to, micro)});
      result.set(name, split);
    } else {
      result.set(name, value);
    }
  }
  return result;
}

void MicrobatchCopier::copy(const Operation& op) {
  build.follow(op);
  std::vector<ValueId> operands;
  for (const ValueId id : op.operands) operands.push_back(at(id));
  const std::vector<ValueId> made =
      build.apply_many(op.op, std::move(operands), on_microbatch(op.attrs, micro_));
  for (std::size_t i = 0; i < made.size(); ++i) set(op, made[i], i);
}

void MicrobatchCopier::set(const Operation& op, ValueId made, std::size_t result) {
  const ValueId id = op.results[result];
  map_[id.at()] = made;
  if (const SharedText& name = batch_.at(id).name; made.valid() && !name.empty())
    build.set_name(made, name);
}

DimId needs_whole_batch(const Operation& op, const Graph& graph, const Microbatch& micro) {
  for (const ops::Factor& f : ops::op_of(op).factors(op, graph).list) {
    if (f.role != ops::Role::replicated && f.role != ops::Role::indexed) continue;
    DimList dims = f.operands;
    dims.push_back(f.result);
    for (DimId dim : dims) {
      if (dim.valid() && micro.of_batch(dim)) return dim;
    }
  }
  if (const auto* items = ops::window_items(op))
    for (const WindowItem& item : *items)
      for (const auto& [dim, scale] : item.at.terms)
        if (micro.of_batch(dim)) return dim;
  return {};
}

bool is_composite_along_examples(const Operation& op, const Microbatch& micro) {
  if (ops::is_mean(op) || ops::op_of(op).kind == ops::Kind::combine || op.op == "logsumexp")
    return false;
  for (const auto& [name, value] : op.attrs.all()) {
    const auto* dims = std::get_if<DimList>(&value);
    if (!dims || name == "to" || name == "dims" || name == "order") continue;
    if (std::any_of(dims->begin(), dims->end(), [&](DimId dim) { return micro.of_batch(dim); }))
      return true;
  }
  return false;
}

}  // namespace mtfc::lowering
