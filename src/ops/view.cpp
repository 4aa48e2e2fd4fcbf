// Views: dimensions renamed, split and merged.
#include "ops/view.h"

#include <algorithm>

#include "ops/rules.h"

namespace mtfc::ops {

namespace {

/// The result's dimensions: each group stands where the first of its dimensions stood.
Inferred infer_view(const Shapes& s) {
  const TensorType& x = s.operands[0];
  DimList taken;
  for (const DimGroup& g : s.attrs.groups("groups")) {
    if (g.from.empty() || g.to.empty()) return fails("an empty group");
    if (g.from.size() > 1 && g.to.size() > 1) return fails("a group must rename, split or merge");
    if (elements(s.dims, g.from) != elements(s.dims, g.to)) return fails("sizes differ");
    for (DimId dim : g.from) {
      if (!contains(x.dims, dim)) return fails("the operand lacks `" + s.dims.name(dim) + "`");
      if (contains(taken, dim)) return fails("`" + s.dims.name(dim) + "` is viewed twice");
      taken.push_back(dim);
    }
  }
  DimList result;
  auto add = [&](DimId dim) {
    if (contains(result, dim)) return false;
    result.push_back(dim);
    return true;
  };
  std::vector<bool> done(s.attrs.groups("groups").size());
  for (DimId dim : x.dims) {
    if (!contains(taken, dim)) {
      if (!add(dim)) return fails("`" + s.dims.name(dim) + "` would occur twice");
      continue;
    }
    for (std::size_t i = 0; i < done.size(); ++i) {
      const DimGroup& g = s.attrs.groups("groups")[i];
      if (!contains(g.from, dim) || done[i]) continue;
      done[i] = true;
      for (DimId fresh : g.to) {
        if (!add(fresh)) return fails("`" + s.dims.name(fresh) + "` would occur twice");
      }
    }
  }
  return gives({x.dtype, result});
}

/// One factor a group: its major dimensions on both sides; the rest are whole.
Factors view_factors(const Operation& op, const Graph& graph) {
  Factors factors;
  DimList grouped;
  for (const DimGroup& g : op.attrs.groups("groups")) {
    factors.list.push_back({Role::regrouped, {g.from[0]}, g.to[0]});
    for (std::size_t i = 1; i < g.from.size(); ++i)
      factors.list.push_back({Role::regrouped, {g.from[i]}, DimId{}});
    for (std::size_t i = 1; i < g.to.size(); ++i)
      factors.list.push_back({Role::regrouped, {DimId{}}, g.to[i]});
    grouped.insert(grouped.end(), g.from.begin(), g.from.end());
  }
  for (DimId dim : graph.at(op.operands[0]).type.dims) {
    if (!contains(grouped, dim)) factors.list.push_back({Role::parallel, {dim}, dim});
  }
  return factors;
}

Gradients view_gradient(const GradientContext& c) {
  std::vector<DimGroup> inverse;
  for (const DimGroup& g : c.op.attrs.groups("groups")) inverse.push_back({g.to, g.from});
  return {sum_to(c.build, c.build.view(c.grad(), inverse), c.operand(0))};
}

}  // namespace

const std::vector<DimGroup>* view_groups(const Operation& op) {
  return op.op == "view" ? &op.attrs.groups("groups") : nullptr;
}

std::vector<OpDef> view_rows() {
  return {{.name = "view",
           .summary = "renames, splits and merges dimensions, all at once",
           .kind = Kind::copy,
           .signature = {1, 1, {{"groups", Type::groups}}},
           .infer = infer_view,
           .factors = view_factors,
           .gradient = view_gradient,
           .local = [](const Operation& op, const Graph&) {
             return Rearrange{op.attrs.groups("groups")};
           }}};
}

std::string name_of_viewed(const Graph& graph, const std::string& path) {
  const auto value = std::find_if(graph.values.begin(), graph.values.end(),
                                  [&](const Value& one) { return one.name == path; });
  if (value == graph.values.end()) return "";
  const ValueId id{static_cast<int>(value - graph.values.begin())};
  for (const Operation& op : graph.ops)
    if (!op.results.empty() && op.results[0] == id && view_groups(op) != nullptr)
      return graph.at(op.operands[0]).name;
  return "";
}

}  // namespace mtfc::ops
