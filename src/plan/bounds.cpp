#include "plan/bounds.h"

#include <algorithm>
#include <cmath>

namespace mtfc::plan {

Bounds::Bounds(const Space& space, const NamedWork& work, const predict::Machine& machine)
    : knows_rules_(space.given.rules.empty() && space.given.scopes.empty()),
      launch_(machine.chip.launch),
      work_(work) {}

double Bounds::seconds(const Mesh& mesh, const std::vector<Split>& rules, const std::string& dim,
                       const std::string& axis) const {
  return work(mesh, rules, dim, axis, 1, false).all;
}

double Bounds::pipeline_seconds(const Choice& choice, std::int64_t microbatches, bool exactly,
                                const std::string& dim, const std::string& axis) const {
  const Pipeline& pipeline = *choice.pipeline;
  const auto m = static_cast<double>(microbatches), p = static_cast<double>(pipeline.stages);
  const std::int64_t parts = exactly ? microbatches : 1;
  const Work one = work(choice.mesh, choice.rules, dim, axis, parts, true);
  const double share = exactly ? 1 : 1 / m;  // of what `one` is worth
  const double least = share * one.all / (1 - std::pow(1 - 1 / m, p));
  const std::vector<int> chunks = chunk_numbers(pipeline.iterations, pipeline.stages);
  if (chunks.empty() || (exactly && !can_interleave(pipeline.stages, microbatches))) return least;
  const double iterations = share * one.each * static_cast<double>(pipeline.iterations);
  const double in_first = iterations / (p * chunks.back());  // chunk
  const double mean = (m * share * one.all + p * (p - 1) / 2 * in_first) / p;
  const double last = (p - 1) * in_first + m * iterations / p;
  return std::min(least, std::max(mean, last));
}

Bounds::Work Bounds::work(const Mesh& mesh, const std::vector<Split>& rules, const std::string& dim,
                          const std::string& axis, std::int64_t microbatches,
                          bool in_stages) const {
  std::vector<AxisSet> axes(work_.names(), 0);  // by number of the name
  AxisSet all = knows_rules_ ? 0 : ~AxisSet{0};
  const auto rule = [&](const std::string& name, AxisSet bits) {
    all |= bits;
    if (const std::size_t* number = work_.find(name)) axes[*number] |= bits;
  };
  for (const Split& split : rules) rule(split.dim, bits_of(mesh, split.axes));
  if (!axis.empty()) rule(dim, bits_of(mesh, {axis}));
  Work total;
  for (const WorkGroup& group : work_.groups()) {
    if (in_stages && !group.in_stages) continue;
    AxisSet split = group.splits_anyhow || !knows_rules_ ? all : 0;
    for (const std::size_t name : group.dims) split |= axes[name];
    const double shards = static_cast<double>(microbatches) * size_of(mesh, split);
    const double seconds = std::max(group.seconds / shards, launch_);
    total.all += group.count * seconds;
    total.each += group.each * seconds;
  }
  return total;
}

}  // namespace mtfc::plan
