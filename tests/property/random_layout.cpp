// Random layouts of random models: a mesh, general rules, parameters kept otherwise, scopes.
#include <algorithm>
#include <random>

#include "layout/assign.h"
#include "layout/axis_conflicts.h"
#include "random_model.h"

namespace mtfc::test {

Assignment whole_assignment(const Model& model) {
  Assignment assignment;
  assignment.dims.resize(model.dims.size());
  return assignment;
}

namespace {

/// One axis, often several in some order.
std::vector<AxisId> some_axes(std::mt19937_64& random, int count) {
  std::vector<AxisId> axes;
  for (int i = 0; i < count; ++i) axes.push_back(AxisId{i});
  std::shuffle(axes.begin(), axes.end(), random);
  const std::uint64_t wanted = random() % 2 == 0 ? 1 : 1 + random() % axes.size();
  axes.resize(static_cast<std::size_t>(wanted));
  return axes;
}

/// Whether a dimension of this size may be cut into so many shards: by chance, if it must be
/// padded.
bool may_cut(std::mt19937_64& random, std::int64_t size, std::int64_t shards, bool uneven) {
  return size % shards == 0 || (uneven && random() % 2 == 0);
}

/// Some parameters are kept on other shards than operations take them on, as `param` scopes ask.
void keep_some(std::mt19937_64& random, const Model& model, Assignment& assignment, bool uneven) {
  assignment.options.gather_once = random() % 2 == 0;
  for (const Variable& v : model.variables) {
    if (v.kind != Variable::Kind::parameter || random() % 2 == 0) continue;
    std::vector<AxisId> left;
    for (std::size_t i = 0; i < assignment.mesh.axes.size(); ++i)
      left.push_back(AxisId{static_cast<std::int32_t>(i)});
    std::shuffle(left.begin(), left.end(), random);
    Sharding kept;
    for (DimId dim : v.type.dims) {
      std::vector<AxisId>& split = kept.split.emplace_back();
      while (!left.empty() && random() % 3 != 0 &&
             may_cut(random, model.dims[dim].size,
                     assignment.mesh.size(split) * assignment.mesh.size(left.back()), uneven)) {
        split.push_back(left.back());
        left.pop_back();
      }
    }
    if (kept != lowering::sharding_of(v.type.dims, assignment))
      assignment.kept[v.path] = {std::move(kept), "param \"" + v.path + "\""};
  }
}

/// Some dimensions of all that a random block makes, or a random value: split over axes that may
/// split other dimensions there by the general rules, or not split.
Assignment::Scope random_scope(std::mt19937_64& random, const Model& model, const Mesh& mesh,
                               bool uneven) {
  Assignment::Scope scope;
  const std::string number = std::to_string(random() % 10);
  scope.kind = random() % 2 == 0 ? LayoutScope::Kind::block : LayoutScope::Kind::value;
  scope.glob = random() % 4 == 0                        ? "**"
               : scope.kind == LayoutScope::Kind::block ? number
                                                        : "v" + number;
  for (std::size_t d = 0; d < model.dims.size(); ++d) {
    if (random() % 3 == 0) continue;
    std::vector<AxisId> axes = some_axes(random, static_cast<int>(mesh.axes.size()));
    if (random() % 3 == 0 || !may_cut(random, model.dims.all()[d].size, mesh.size(axes), uneven))
      axes.clear();
    scope.splits.push_back(
        {DimId{static_cast<std::int32_t>(d)}, std::move(axes), "scope " + scope.glob});
  }
  return scope;
}

void scope_some(std::mt19937_64& random, const Model& model, Assignment& assignment, bool uneven) {
  if (random() % 2 == 0) return;
  const std::uint64_t count = 1 + random() % 3;
  for (std::uint64_t i = 0; i < count; ++i)
    assignment.scopes.push_back(random_scope(random, model, assignment.mesh, uneven));
}

}  // namespace

Assignment random_assignment(std::uint64_t seed, const Model& model, int every) {
  std::mt19937_64 random(seed * 7919 + 17);
  Assignment assignment;
  static const char* names[] = {"rows", "cols", "planes"};
  const int axes = 1 + static_cast<int>(random() % 3);
  for (int i = 0; i < axes; ++i) {
    assignment.mesh.axes.push_back(
        {names[i], random() % static_cast<std::uint64_t>(every) == 0 ? 3 : 2});
  }
  const bool uneven = random() % 2 == 0;
  for (int attempt = 0; attempt < 60; ++attempt) {
    assignment.dims.assign(model.dims.size(), {});
    for (std::size_t d = 0; d < model.dims.size(); ++d) {
      const std::vector<AxisId> split = some_axes(random, axes);
      const std::int64_t shards = assignment.mesh.size(split);
      // Later attempts split less, so that some attempt is legal.
      if (!may_cut(random, model.dims.all()[d].size, shards, uneven) ||
          random() % 60 < static_cast<std::uint64_t>(attempt))
        continue;
      assignment.dims[d] = {split, 0,
                            model.dims.all()[d].name + ":" + to_string(assignment.mesh, split)};
    }
    if (!lowering::is_legal(model, assignment)) continue;
    keep_some(random, model, assignment, uneven);
    scope_some(random, model, assignment, uneven);
    return assignment;
  }
  assignment.dims.assign(model.dims.size(), {});
  return assignment;
}

}  // namespace mtfc::test
