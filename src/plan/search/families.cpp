#include "plan/search/families.h"

#include <algorithm>
#include <set>

#include "plan/space/neighbours.h"

namespace mtfc::plan {
namespace {

/// Families of one mesh, and of all together: sets of rules, each alone and with scopes of blocks.
/// Each is held with its bound, a kilobyte or two, and takes microseconds; of the Transformers that
/// ship `bert` has the most sets, 21,394 on 64 processors, with four ways to scope them.
constexpr std::size_t most_of_mesh = 100'000, most_of_all = 200'000;

/// Of each set of rules, about: pairs of both kinds of scopes are few.
std::size_t families_each(const Space& space, const Mesh& mesh) {
  return 1 + (space.scope_dims.size() + space.handed_dims.size()) * mesh.axes.size();
}

/// Sets of rules that no other with one rule more, less or exchanged is estimated to be faster
/// than, and those that lead to them.
class Likely {
 public:
  Likely(const Space& space, const DimTable& dims, const WorthOf& worth, const TimeBudget& time)
      : space_(space), dims_(dims), worth_(worth), time_(time) {}

  std::vector<Choice> of(const Choice& plain) {
    descend(plain);
    for (const std::string& dim : space_.input_dims)
      for (const Split& split : splits_of(space_, dim, plain.mesh, dims_)) {
        if (!has(space_.dims, dim) || !goes_with(space_, split, {})) continue;
        Choice start = plain;
        start.rules = {split};
        descend(start);
      }
    return std::move(found_);
  }

 private:
  void descend(Choice at) {
    double best = worth_(at);
    while (seen_.insert(rules_text(at)).second) {
      found_.push_back(at);
      if (time_.is_up()) return;
      const Choice* next = nullptr;
      const std::vector<Choice> around = other_rules_of(space_, at, dims_);
      for (const Choice& one : around) {
        if (time_.is_up()) return;
        if (const double other = worth_(one); other < best) best = other, next = &one;
      }
      if (next == nullptr) return;
      at = *next;
    }
  }

  const Space& space_;
  const DimTable& dims_;
  const WorthOf& worth_;
  const TimeBudget& time_;
  std::set<std::string> seen_;
  std::vector<Choice> found_;
};

/// Each mesh of the space, alone, of stages and of submeshes, without rules.
std::vector<Choice> plain_choices(const Space& space) {
  std::vector<Choice> all;
  for (const Mesh& mesh : space.meshes) all.push_back({mesh});
  for (const StagedMesh& staged : space.staged) {
    all.push_back({staged.mesh});
    all.back().pipeline = space.kept_pipeline.value_or(Pipeline{space.chain, staged.stages});
  }
  if (space.submeshes.processors > 0) {
    all.push_back({axes_of_submeshes(space.submeshes.axes)});
    all.back().pipeline = Pipeline{space.chain, 0};
    all.back().pipeline->submeshes = true;
  }
  for (Choice& one : all) one.pads = space.pads;
  return all;
}

}  // namespace

Families families_of(const Space& space, const DimTable& dims, const WorthOf& worth,
                     const TimeBudget& time) {
  Families families;
  std::size_t held = 0;
  for (const Choice& plain : plain_choices(space)) {
    const std::size_t each = families_each(space, plain.mesh);
    const std::size_t room = std::min(most_of_mesh, most_of_all - held) / each;
    if (auto rules = legal_rules(space, plain.mesh, dims, room)) {
      held += each * rules->size();
      for (std::vector<Split>& some : *rules) {
        families.bases.push_back(plain);
        families.bases.back().rules = std::move(some);
      }
      continue;
    }
    families.cut_short.push_back(plain);
    for (Choice& one : Likely(space, dims, worth, time).of(plain))
      families.bases.push_back(std::move(one));
  }
  std::stable_sort(
      families.bases.begin(), families.bases.end(),
      [](const Choice& a, const Choice& b) { return a.rules.size() < b.rules.size(); });
  return families;
}

}  // namespace mtfc::plan
