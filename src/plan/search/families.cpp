#include "plan/search/families.h"

#include <algorithm>
#include <set>

#include "plan/space/neighbours.h"

namespace mtfc::plan {
namespace {

/// Of one mesh, and of all together. Each set of rules is held with its scopes of blocks and
/// bounds, some kilobytes; of the Transformers that ship `bert` has the most, 21,394 on 64
/// processors.
constexpr std::size_t most_of_mesh = 50'000, most_of_all = 150'000;

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
  for (const Choice& plain : plain_choices(space)) {
    const std::size_t room = most_of_all - std::min(most_of_all, families.bases.size());
    auto rules = legal_rules(space, plain.mesh, dims, std::min(most_of_mesh, room));
    if (rules) {
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
