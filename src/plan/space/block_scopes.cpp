#include "plan/space/block_scopes.h"

#include <algorithm>

#include "plan/space/examples.h"

namespace mtfc::plan {
namespace {

bool has_axis(const Choice& choice, const std::string& dim, const std::string& axis) {
  return has(ruled_axes(choice, dim), axis);
}

bool split_over(const std::vector<Split>& rules, const std::string& axis) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const Split& split) { return has(split.axes, axis); });
}

}  // namespace

BlockScopes::BlockScopes(const Space& space, const Model& model)
    : space_(space),
      blocks_(named_blocks(model, space.scope_dims)),
      shared_(shared_dims(model)),
      examples_(example_dims(model)) {}

std::vector<Scoping> BlockScopes::free_ways(const Choice& choice) const {
  std::vector<Scoping> all;
  for (const MeshAxis& axis : choice.mesh.axes)
    if (split_over(space_.given_rules, axis.name) || split_over(choice.rules, axis.name))
      for (const std::string& dim : space_.scope_dims)
        if (!has_axis(choice, dim, axis.name))
          all.push_back({Scoping::Kind::where_free, dim, {axis.name}});
  return all;
}

std::vector<Scoping> BlockScopes::handed_ways(const Choice& choice,
                                              const std::vector<std::string>& by_scopes) const {
  std::vector<Scoping> all;
  std::vector<std::string> handed;  // all axes of examples
  for (const MeshAxis& axis : choice.mesh.axes) {
    // What is kept stays split as it is.
    const bool by_rules =
        !split_over(space_.given_rules, axis.name) &&
        std::any_of(examples_.begin(), examples_.end(),
                    [&](const std::string& dim) { return has_axis(choice, dim, axis.name); });
    if (!by_rules && !has(by_scopes, axis.name)) continue;
    handed.push_back(axis.name);
    for (const std::string& dim : space_.handed_dims)
      if (!has_axis(choice, dim, axis.name))
        all.push_back({Scoping::Kind::handed_over, dim, {axis.name}});
  }
  for (const std::string& dim : space_.handed_dims)
    if (handed.size() > 1 && ruled_axes(choice, dim).empty())
      all.push_back({Scoping::Kind::handed_over, dim, handed});
  return all;
}

std::optional<Choice> BlockScopes::with_one(const Choice& choice, const Scoping& scoping) const {
  return scoping.kind == Scoping::Kind::where_free
             ? split_where_free(choice, scoping.dim, scoping.axes[0], blocks_, space_.given_rules)
             : hand_over(choice, scoping.dim, scoping.axes, shared_, examples_);
}

std::vector<Scopings> BlockScopes::ways(const Choice& choice) const {
  std::vector<Scopings> all;
  for (const Scoping& handed : handed_ways(choice, {})) all.push_back({handed});
  for (const Scoping& free : free_ways(choice)) {
    all.push_back({free});
    const bool of_examples = examples_.contains(free.dim);
    for (const Scoping& handed :
         handed_ways(choice, of_examples ? free.axes : std::vector<std::string>{}))
      all.push_back({free, handed});
  }
  return all;
}

std::optional<Choice> BlockScopes::with(const Choice& choice, const Scopings& scopings) const {
  std::optional<Choice> found = choice;
  for (const Scoping& one : scopings)
    if (found) found = with_one(*found, one);
  return found;
}

std::vector<Split> BlockScopes::further(const Scopings& scopings) const {
  std::vector<Split> splits;
  for (const Scoping& one : scopings) {
    splits.push_back({one.dim, one.axes});
    if (one.kind == Scoping::Kind::where_free)
      for (const std::string& dim : space_.kept_dims) splits.push_back({dim, one.axes});
  }
  return splits;
}

}  // namespace mtfc::plan
