#include "plan/space/neighbours.h"

#include <algorithm>

#include "plan/space/axes.h"
#include "plan/space/variants.h"
#include "plan/space/ways_to_keep.h"

namespace mtfc::plan {
namespace {

/// Which blocks leave an axis free depends on the rules.
Choice plain(Choice choice) {
  choice.blocks.clear();
  return choice;
}

void add_rules(const Space& space, const Choice& choice, const DimTable& dims,
               std::vector<Choice>& all) {
  for (const std::string& dim : space.dims) {
    Choice without = plain(choice);
    const auto same = [&](const Split& split) { return split.dim == dim; };
    const auto at = std::find_if(without.rules.begin(), without.rules.end(), same);
    const Split before = at == without.rules.end() ? Split{dim, {}} : *at;
    std::erase_if(without.rules, same);
    if (!before.axes.empty()) all.push_back(without);
    for (const Split& split : splits_of(space, dim, choice.mesh, dims)) {
      if (split == before || !goes_with(space, split, without.rules)) continue;
      all.emplace_back(without).rules.push_back(split);
    }
  }
}

/// A rule for another dimension in the place of one.
void add_exchanges(const Space& space, const Choice& choice, const DimTable& dims,
                   std::vector<Choice>& all) {
  for (std::size_t i = 0; i < choice.rules.size(); ++i)
    for (const std::string& dim : space.dims) {
      const Split other{dim, choice.rules[i].axes};
      const auto same = [&](const Split& split) { return split.dim == dim; };
      if (std::any_of(choice.rules.begin(), choice.rules.end(), same)) continue;
      Choice next = plain(choice);
      next.rules.erase(next.rules.begin() + static_cast<std::ptrdiff_t>(i));
      const std::vector<Split> ways = splits_of(space, dim, choice.mesh, dims);
      if (std::find(ways.begin(), ways.end(), other) == ways.end() ||
          !goes_with(space, other, next.rules))
        continue;
      next.rules.push_back(other);
      all.push_back(std::move(next));
    }
}

void add_meshes(const Space& space, const Choice& choice, std::vector<Choice>& all) {
  // With another share of the batch goes another number of micro-batches.
  const auto add = [&](const Mesh& mesh, int stages) {
    if (mesh.axes.size() != choice.mesh.axes.size() || mesh == choice.mesh) return;
    for (const std::int64_t count : space.microbatches)
      if (count <= 2 * choice.microbatches && 2 * count >= choice.microbatches) {
        Choice& other = all.emplace_back(choice);
        other.mesh = mesh;
        other.microbatches = count;
        if (other.pipeline) other.pipeline->stages = stages;
      }
  };
  if (!choice.pipeline)
    for (const Mesh& mesh : space.meshes) add(mesh, 1);
  else
    for (const StagedMesh& one : space.staged)
      if (one.stages <= 2 * choice.pipeline->stages && 2 * one.stages >= choice.pipeline->stages)
        add(one.mesh, one.stages);
}

void add_blocks(const Choice& choice, const BlockScopes& scopes, std::vector<Choice>& all) {
  if (!choice.blocks.empty()) {
    all.push_back(plain(choice));
    return;
  }
  for (const Scopings& scoping : scopes.ways(choice))
    if (std::optional<Choice> other = scopes.with(choice, scoping))
      all.push_back(std::move(*other));
}

/// The next numbers, and those after them: axes may not divide the batch in one of them.
void add_microbatches(const Space& space, const Choice& choice, std::vector<Choice>& all) {
  const auto& counts = space.microbatches;
  const auto at = std::find(counts.begin(), counts.end(), choice.microbatches);
  if (at == counts.end()) return;
  for (const std::ptrdiff_t further : {1, 2}) {
    if (at - counts.begin() >= further) all.emplace_back(choice).microbatches = *(at - further);
    if (counts.end() - at > further) all.emplace_back(choice).microbatches = *(at + further);
  }
}

void add_recompute(const Space& space, const Choice& choice, bool short_of_memory,
                   std::vector<Choice>& all) {
  if (!space.recompute) return;
  for (const Recompute what : {Recompute::none, Recompute::selective, Recompute::full})
    if (what < choice.recompute || (what > choice.recompute && short_of_memory))
      // More micro-batches leave room for what is then kept.
      for (const std::int64_t count : space.microbatches) {
        const bool more = what < choice.recompute && count > choice.microbatches &&
                          count <= 4 * choice.microbatches;
        if (!more && count != choice.microbatches) continue;
        all.emplace_back(choice).recompute = what;
        all.back().microbatches = count;
      }
}

void add_schedules(const Space& space, const Choice& choice, const DimTable& dims,
                   std::vector<Choice>& all) {
  Choice bare = choice;
  bare.kept.clear();
  bare.sharded_update = false;
  bare.gather = Gather::again;
  all.push_back(bare);
  for (Choice& variant : variants_of(space, bare, dims)) {
    // One of the three differs.
    const int differs = (variant.kept != choice.kept) +
                        (variant.sharded_update != choice.sharded_update) +
                        (variant.gather != choice.gather);
    if (differs == 1) all.push_back(std::move(variant));
  }
}

/// How parameters may be kept depends on what splits inputs.
void drop_other_keeping(const Space& space, Choice& choice, const DimTable& dims) {
  if (choice.kept.empty()) return;
  const auto ways = ways_to_keep(space, choice, dims);
  if (std::find(ways.begin(), ways.end(), choice.kept) != ways.end()) return;
  choice.kept.clear();
  choice.gather = Gather::again;
}

/// The order of rules does not matter, and each set is to have one.
void sort_rules(const Space& space, Choice& choice) {
  std::sort(choice.rules.begin(), choice.rules.end(), [&](const Split& a, const Split& b) {
    return space.numbers.at(a.dim) < space.numbers.at(b.dim);
  });
}

}  // namespace

std::vector<Choice> other_rules_of(const Space& space, const Choice& choice, const DimTable& dims) {
  std::vector<Choice> all;
  add_rules(space, choice, dims, all);
  add_exchanges(space, choice, dims, all);
  for (Choice& one : all) sort_rules(space, one);
  return all;
}

std::vector<Choice> neighbours_of(const Space& space, const Choice& choice, const DimTable& dims,
                                  const BlockScopes& scopes, bool short_of_memory) {
  std::vector<Choice> all;
  add_microbatches(space, choice, all);
  add_recompute(space, choice, short_of_memory, all);
  add_schedules(space, choice, dims, all);
  add_rules(space, choice, dims, all);
  if (choice.blocks.empty()) add_exchanges(space, choice, dims, all);
  add_blocks(choice, scopes, all);
  add_meshes(space, choice, all);
  for (Choice& one : with_other_axes(space, plain(choice))) {
    add_blocks(one, scopes, all);
    all.push_back(std::move(one));
  }
  for (Choice& one : all) drop_other_keeping(space, one, dims);
  for (Choice& one : all)
    if (one.microbatches == 1 && one.gather == Gather::step) one.gather = Gather::once;
  for (Choice& one : all)
    if (one.blocks.empty()) sort_rules(space, one);
  return all;
}

}  // namespace mtfc::plan
