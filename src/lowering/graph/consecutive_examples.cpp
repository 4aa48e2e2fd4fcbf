#include "lowering/graph/consecutive_examples.h"

#include "ops/view.h"

namespace mtfc::lowering {
namespace {

/// Both ways: a view may come after the dimension that a sample has, or before it. True if it adds
/// one.
bool follow(const DimGroup& group, const DimTable& dims, std::map<DimId, std::int64_t>& positions) {
  const DimList& several = group.from.size() > 1 ? group.from : group.to;
  const DimId one = group.from.size() > 1 ? group.to[0] : group.from[0];
  const DimId major = several[0];
  std::int64_t minor = 1;
  for (const DimId dim : several)
    if (dim != major) minor *= dims.size(dim);
  const auto whole = positions.find(one), part = positions.find(major);
  if (part != positions.end() && whole == positions.end())
    return positions.emplace(one, part->second * minor).second;
  if (whole != positions.end() && part == positions.end() && whole->second % minor == 0)
    return positions.emplace(major, whole->second / minor).second;
  return false;
}

}  // namespace

std::map<DimId, std::int64_t> consecutive_examples(DimId examples, const Graph& graph,
                                                   const DimTable& dims) {
  if (!examples.valid()) return {};
  std::map<DimId, std::int64_t> positions{{examples, 1}};
  for (bool any = true; any;) {
    any = false;
    for (const Operation& op : graph.ops)
      if (const auto* groups = ops::view_groups(op))
        for (const DimGroup& group : *groups) any = follow(group, dims, positions) || any;
  }
  return positions;
}

DimId evaluated_examples(const Model& model) {
  if (model.evaluation.count > 1) return model.evaluation.examples;
  if (model.inputs.empty() || model.inputs[0].type.dims.empty()) return {};
  return model.inputs[0].type.dims[0];
}

}  // namespace mtfc::lowering
