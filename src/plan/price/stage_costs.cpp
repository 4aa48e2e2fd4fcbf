#include "plan/price/stage_costs.h"

#include <algorithm>

namespace mtfc::plan {
namespace {

/// Of the small pipeline.
constexpr int inner = 1, longer = 2, last = 3;

/// Of the small pipeline, its stages where stages like them lie of that which is asked for.
predict::MappedStages mapped_small(const predict::MappedStages& asked) {
  predict::MappedStages small = asked;
  const std::size_t end = asked.stages.size() - 1;
  small.stages = {asked.stages.front(), asked.stages[std::min<std::size_t>(1, end)],
                  asked.stages[end > 1 ? end - 1 : 0], asked.stages[end]};
  return small;
}

/// Which stages of the small pipeline send to each other as these do.
std::vector<std::pair<int, int>> links_alike(int from, int to, int stages) {
  const auto kind = [&](int stage) { return stage == 0 ? 0 : stage + 1 == stages ? last : -1; };
  const int a = kind(from), b = kind(to);
  if (std::abs(from - to) > 1 || stages == 2) {
    std::vector<std::pair<int, int>> found;
    if (stages == 2)  // as neighbours, and as the first and the last
      found.push_back(from < to ? std::pair(0, inner) : std::pair(inner, 0));
    if (a < 0 && b < 0) return found;  // what every stage has of the first
    const auto beyond = [&](int other) { return other == 0 ? longer : inner; };
    found.emplace_back(a < 0 ? beyond(b) : a, b < 0 ? beyond(a) : b);
    return found;
  }
  if (a < 0 && b < 0) return {from < to ? std::pair(inner, longer) : std::pair(longer, inner)};
  const auto beside = [&](int other) { return other == 0 ? inner : longer; };
  return {{a < 0 ? beside(b) : a, b < 0 ? beside(a) : b}};
}

}  // namespace

StageCosts::StageCosts(std::int64_t few, const CompiledPipeline& made,
                       const std::vector<CompiledPipeline>& shorter, const ExampleNames& examples,
                       const predict::Machine& machine, predict::MappedStages mapped)
    : machine_(machine), mapped_(std::move(mapped)), few_(few), links_(links_of(made)) {
  const predict::MappedStages small = mapped_small(mapped_);
  const auto note = [&](std::int64_t iterations, const std::vector<StageFigures>& all) {
    known_[iterations] = {all[0], all[inner], all[last]};
  };
  const std::vector<StageFigures> all = figures_of(made, examples, machine, small);
  note(few, all);
  each_ = all[longer].plus(all[inner], -1);
  reaches_over_ = plan::reaches_over(made);
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    note(static_cast<std::int64_t>(i) + 1, figures_of(shorter[i], examples, machine, small));
    reaches_over_ = reaches_over_ || plan::reaches_over(shorter[i]);
  }
}

StageFigures StageCosts::of(int stage, int stages, std::int64_t iterations) const {
  const std::size_t position = stage == 0 ? 0 : stage + 1 == stages ? 2 : 1;
  if (const auto found = known_.find(iterations); found != known_.end())
    return found->second[position];
  StageFigures found =
      known_.at(few_)[position].plus(each_, static_cast<double>(iterations - few_));
  // Arenas are not quite sums over iterations.
  found.passes_arena = std::max(found.passes_arena, 0.0);
  found.once_arena = std::max(found.once_arena, 0.0);
  return found;
}

StageSends StageCosts::sends(int from, int to, int stages, const predict::MappedStages& mapped,
                             double share) const {
  StageSends all;
  for (const auto& [a, b] : links_alike(from, to, stages))
    for (const StageLink& link : links_)
      if (link.passes.from == a && link.passes.to == b)
        add(all, link, from, to, share, machine_, mapped);
  return all;
}

StageSends StageCosts::sends(int stages) const {
  const int most = static_cast<int>(mapped_.stages.size());
  StageSends all;
  for (int from = 0; from < stages; ++from)
    for (int to = 0; to < stages; ++to)
      if (from % most != to % most) add(all, sends(from, to, stages, mapped_, 1));
  return all;
}

}  // namespace mtfc::plan
