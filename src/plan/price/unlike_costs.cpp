#include "plan/price/unlike_costs.h"

#include <algorithm>

namespace mtfc::plan {
namespace {

/// So many stages that lie as those do.
predict::MappedStages stretched(const predict::MappedStages& mapped, std::size_t stages) {
  predict::MappedStages made = mapped;
  made.stages.clear();
  for (std::size_t i = 0; i < stages; ++i)
    made.stages.push_back(mapped.stages[i * mapped.stages.size() / stages]);
  return made;
}

/// Stages of two blocks from number `first` on; the rest alone.
std::vector<std::int64_t> pairs(std::int64_t blocks, std::int64_t first) {
  std::vector<std::int64_t> cut(static_cast<std::size_t>(first), 1);
  for (std::int64_t left = blocks - first; left > 0; left -= cut.back())
    cut.push_back(std::min<std::int64_t>(left, 2));
  return cut;
}

void add(cost::StageSend& sum, const cost::StageSend& one) {
  sum.bytes += one.bytes;
  sum.received += one.received;
  sum.gathered_bytes += one.gathered_bytes;
  if (sum.gathered.empty()) sum.gathered = one.gathered;
}

}  // namespace

std::unique_ptr<UnlikeCosts> UnlikeCosts::of(std::int64_t blocks, const Compile& compile,
                                             const ExampleNames& examples,
                                             const predict::Machine& machine,
                                             const predict::MappedStages& mapped) {
  const auto made = compile(std::vector<std::int64_t>(static_cast<std::size_t>(blocks), 1));
  if (!made) return nullptr;
  std::unique_ptr<UnlikeCosts> costs(new UnlikeCosts(machine));
  const predict::MappedStages all = stretched(mapped, static_cast<std::size_t>(blocks));
  costs->alone_ = figures_of(*made, examples, machine, all);
  costs->links_ = links_of(*made);
  costs->reaches_over_ = plan::reaches_over(*made);
  costs->joint_.resize(costs->alone_.size() - 1);
  for (const std::int64_t first : {0, 1}) {
    const std::vector<std::int64_t> cut = pairs(blocks, first);
    // Of two blocks there is no other pipeline than the first.
    if (cut.size() < 2 || cut.size() == costs->alone_.size()) continue;
    const auto paired = compile(cut);
    if (!paired) return nullptr;
    const std::vector<StageFigures> figures =
        figures_of(*paired, examples, machine, stretched(mapped, cut.size()));
    std::size_t block = 0;
    for (std::size_t i = 0; i < cut.size(); block += static_cast<std::size_t>(cut[i++]))
      if (cut[i] == 2) costs->joint_[block] = figures[i];
  }
  costs->further_.resize(costs->joint_.size() + 1);
  for (std::size_t i = 0; i < costs->joint_.size(); ++i)
    costs->further_[i + 1] =
        costs->further_[i].plus(costs->joint_[i], 1).plus(costs->alone_[i], -1);
  return costs;
}

StageFigures UnlikeCosts::figures(std::int64_t begin, std::int64_t count) const {
  const auto first = static_cast<std::size_t>(begin);
  const std::size_t end = std::min(first + static_cast<std::size_t>(count), alone_.size());
  if (end - first == 1) return alone_[first];
  StageFigures sum = joint_[first].plus(further_[end - 1], 1).plus(further_[first + 1], -1);
  // What passes work in is given back from block to block: a sum over blocks may be twice as much.
  sum.passes_arena = sum.once_arena = 0;
  for (std::size_t i = first; i + 1 < end; ++i) {
    sum.passes_arena = std::max(sum.passes_arena, joint_[i].passes_arena);
    sum.once_arena = std::max(sum.once_arena, joint_[i].once_arena);
  }
  return sum;
}

StageSends UnlikeCosts::sends(const std::vector<std::int64_t>& blocks, int from, int to,
                              const predict::MappedStages& mapped, double share) const {
  const auto stage_of = [&](int block) {
    std::int64_t end = 0;
    int stage = 0;
    while ((end += blocks[static_cast<std::size_t>(stage)]) <= block) ++stage;
    return stage;
  };
  StageSends all;
  // What the same passes send goes in one message.
  std::vector<StageLink> sums;
  for (const StageLink& link : links_) {
    if (stage_of(link.passes.from) != from || stage_of(link.passes.to) != to) continue;
    if (link.is_once) {
      add(all, link, from, to, share, machine_, mapped);
      continue;
    }
    const auto same = std::find_if(sums.begin(), sums.end(), [&](const StageLink& other) {
      return other.passes.from_backward == link.passes.from_backward &&
             other.passes.to_backward == link.passes.to_backward &&
             other.passes.first_only == link.passes.first_only;
    });
    if (same == sums.end())
      sums.push_back(link);
    else
      add(same->send, link.send);
  }
  for (const StageLink& sum : sums) add(all, sum, from, to, share, machine_, mapped);
  return all;
}

}  // namespace mtfc::plan
