#include "plan/price/stage_costs.h"

#include <algorithm>
#include <numeric>

#include "predict/predict_pipeline.h"

namespace mtfc::plan {
namespace {

/// The first, two between of which one has an iteration more, and the last.
constexpr std::int64_t few = 2;
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

const std::vector<std::int64_t>& StageCosts::small_cut() {
  static const std::vector<std::int64_t> blocks = {few, few, few + 1, few};
  return blocks;
}

std::int64_t StageCosts::small_iterations() {
  return std::accumulate(small_cut().begin(), small_cut().end(), std::int64_t{0});
}

const std::vector<std::int64_t>& StageCosts::single_cut() {
  static const std::vector<std::int64_t> blocks(small_cut().size(), 1);
  return blocks;
}

StageCosts::StageCosts(const CompiledPipeline& made, const CompiledPipeline* single,
                       const ExampleNames& examples, const predict::Machine& machine,
                       predict::MappedStages mapped)
    : machine_(machine), mapped_(std::move(mapped)), links_(links_of(made)) {
  const predict::MappedStages small = mapped_small(mapped_);
  const std::vector<StageFigures> all = figures_of(made, examples, machine, small);
  first_ = all[0];
  inner_ = all[inner];
  last_ = all[last];
  each_ = all[longer].plus(inner_, -1);
  if (single) {
    const std::vector<StageFigures> of_one = figures_of(*single, examples, machine, small);
    singles_ = {of_one[0], of_one[inner], of_one[last]};
    single_between_ = plan::once_between(*single, of_one, machine, small);
  }
  once_between_ = plan::once_between(made, all, machine, small);
}

double StageCosts::once_between(std::int64_t longest) const {
  if (!single_between_) return once_between_;
  const double each =
      (once_between_ - *single_between_) / few;  // the longest small one has two more
  return std::max(0.0, *single_between_ + each * static_cast<double>(longest - 1));
}

StageFigures StageCosts::of(int stage, int stages, std::int64_t iterations) const {
  const std::size_t position = stage == 0 ? 0 : stage + 1 == stages ? 2 : 1;
  if (iterations == 1 && !singles_.empty()) return singles_[position];
  const StageFigures& least = position == 0 ? first_ : position == 2 ? last_ : inner_;
  StageFigures found = least.plus(each_, static_cast<double>(iterations - few));
  // Arenas are not quite sums over iterations.
  found.passes_arena = std::max(found.passes_arena, 0.0);
  found.once_arena = std::max(found.once_arena, 0.0);
  return found;
}

std::vector<pipeline::Send> StageCosts::sends(int from, int to, int stages,
                                              const predict::MappedStages& mapped,
                                              double share) const {
  const int most = static_cast<int>(mapped.stages.size());
  std::vector<pipeline::Send> all;
  for (const auto& [a, b] : links_alike(from, to, stages))
    for (const StageLink& link : links_) {
      if (link.passes.from != a || link.passes.to != b) continue;
      cost::StageSend sent = link.send;
      sent.bytes = share * sent.received;
      pipeline::Send& send = all.emplace_back(link.passes);
      send.from = from;
      send.to = to;
      send.time = predict::send_seconds(sent, from % most, to % most, machine_, mapped);
    }
  return all;
}

std::vector<pipeline::Send> StageCosts::sends(int stages) const {
  const int most = static_cast<int>(mapped_.stages.size());
  std::vector<pipeline::Send> all;
  for (int from = 0; from < stages; ++from)
    for (int to = 0; to < stages; ++to)
      if (from % most != to % most)
        for (const pipeline::Send& send : sends(from, to, stages, mapped_, 1)) all.push_back(send);
  return all;
}

}  // namespace mtfc::plan
