#include "plan/space/variants.h"

#include "plan/space/ways_to_keep.h"

namespace mtfc::plan {

std::vector<Choice> variants_of(const Space& space, const Choice& choice, const DimTable& dims) {
  std::vector<Choice> keeping = {choice};
  for (std::vector<Split>& way : ways_to_keep(space, choice, dims))
    keeping.emplace_back(choice).kept = std::move(way);
  std::vector<Choice> updating = keeping;
  for (Choice& one : keeping)
    if (space.updates) updating.emplace_back(std::move(one)).sharded_update = true;
  std::vector<Choice> all = updating;
  for (const Gather gather : {Gather::once, Gather::step})
    for (const Choice& one : updating) {
      const bool on_shards = !one.kept.empty() || has_scope(space.given, LayoutScope::Kind::param);
      const bool any_step = one.microbatches > 1 && !one.pipeline;
      if (!space.gathers || !on_shards || (gather == Gather::step && !any_step)) continue;
      all.emplace_back(one).gather = gather;
    }
  all.erase(all.begin());  // itself
  return all;
}

std::vector<Choice> variants_of_pipeline(const Space& space, const Choice& choice) {
  std::vector<Choice> all;
  if (space.submeshes.processors > 0) all.push_back(with_open_stages(choice, space.submeshes.axes));
  if (space.recompute && choice.recompute == Recompute::none)
    all.emplace_back(uncut(choice)).recompute = Recompute::selective;
  return all;
}

}  // namespace mtfc::plan
