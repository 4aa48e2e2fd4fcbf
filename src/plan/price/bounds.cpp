#include "plan/price/bounds.h"
#include "layout/stages.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace mtfc::plan {

Bounds::Bounds(const Space& space, const NamedWork& work, const predict::Machine& machine, Of of)
    : space_(space),
      of_(of),
      knows_rules_(space.given.rules.empty() && space.given.scopes.empty()),
      first_(space.microbatches.front()),
      shares_update_(!space.updates),
      launch_(machine.chip.launch),
      work_(work),
      scope_dims_(space.scope_dims),
      sum_rates_(machine) {}

double Bounds::seconds(const Mesh& mesh, const std::vector<Split>& rules,
                       const std::vector<Split>& further) const {
  return work({mesh, rules}, further, 1).all;
}

double Bounds::pipeline_seconds(const Choice& choice, std::int64_t microbatches, bool exactly,
                                const std::vector<Split>& further) const {
  const Pipeline& pipeline = *choice.pipeline;
  const auto m = static_cast<double>(microbatches), p = static_cast<double>(pipeline.stages);
  const std::int64_t parts = exactly ? microbatches / first_ : 1;
  const Work one = work(choice, further, parts);
  // Of what `one` is worth: it has the kernels of so many micro-batches.
  const double share = 1 / (exactly ? static_cast<double>(first_) : m);
  const double least = share * one.all / (1 - std::pow(1 - 1 / m, p));
  // However many chunks they go in, all stages together have all work.
  if (pipeline.given && pipeline.chunks > 1) return m * share * one.all / p;
  const std::vector<int> chunks = chunk_numbers(pipeline);
  if (chunks.empty() || (exactly && !lowering::can_interleave(pipeline.stages, microbatches)))
    return least;
  if (!pipeline.chain.alike) return std::min(least, m * share * one.all / p);
  const double iterations = share * one.each * static_cast<double>(pipeline.chain.blocks);
  const double in_first = iterations / (p * chunks.back());  // chunk
  const double mean = (m * share * one.all + p * (p - 1) / 2 * in_first) / p;
  const double last = (p - 1) * in_first + m * iterations / p;
  return std::min(least, std::max(mean, last));
}

double Bounds::submesh_seconds(const Choice& choice, const Submeshes& submeshes,
                               std::int64_t microbatches, bool exactly,
                               const std::vector<Split>& further) const {
  const RuledAxes rules = ruled(choice.mesh, choice.rules, further);
  const auto parts = static_cast<double>(exactly ? microbatches / first_ : 1);
  std::map<AxisSet, std::vector<std::pair<double, double>>> sizes;  // shards and processors
  double all = 0;
  for (const WorkGroup& group : work_.groups()) {
    if (!group.in_stages) continue;
    const AxisSet split = rules.of(group, knows_rules_);
    const auto [at, fresh] = sizes.try_emplace(split);
    if (fresh)
      for (const Mesh& mesh : submeshes.meshes)
        at->second.emplace_back(size_of(mesh, split), static_cast<double>(mesh.processors()));
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [shards, processors] : at->second)
      least = std::min(least, processors * std::max(group.seconds / (parts * shards), launch_));
    all += group.count * least;
  }
  return parts * all / static_cast<double>(submeshes.processors);
}

double Bounds::family_seconds(const Choice& base, const std::vector<Split>& further) const {
  if (!base.pipeline) return seconds(base.mesh, base.rules, further);
  return staged_seconds(base, space_.microbatches.back(), false, further);
}

double Bounds::staged_seconds(const Choice& base, std::int64_t microbatches, bool exactly,
                              const std::vector<Split>& further) const {
  return base.pipeline->submeshes
             ? submesh_seconds(base, space_.submeshes, microbatches, exactly, further)
             : pipeline_seconds(base, microbatches, exactly, further);
}

double Bounds::variable_bytes(const Choice& choice) const {
  if (choice.pipeline && (choice.pipeline->submeshes || has_own_meshes(choice))) return 0;
  if (knows_rules_)
    return plan::variable_bytes(work_, choice, shares_update_ || choice.sharded_update);
  const int stages = choice.pipeline ? choice.pipeline->stages : 1;
  return variable_bytes(stages * choice.mesh.processors());
}

double Bounds::variable_bytes(std::int64_t processors) const {
  double bytes = 0;
  for (const VariableGroup& group : work_.variables()) bytes += group.count * group.bytes;
  return bytes / static_cast<double>(processors);
}

Bounds::RuledAxes Bounds::ruled(const Mesh& mesh, const std::vector<Split>& rules,
                                const std::vector<Split>& further) const {
  RuledAxes found{std::vector<AxisSet>(work_.names(), 0), knows_rules_ ? 0 : ~AxisSet{0}};
  const auto rule = [&](const std::string& name, AxisSet bits) {
    found.all |= bits;
    if (const std::size_t* number = work_.find(name)) found.axes[*number] |= bits;
  };
  for (const Split& split : rules) rule(split.dim, bits_of(mesh, split.axes));
  for (const Split& split : further) rule(split.dim, bits_of(mesh, split.axes));
  return found;
}

AxisSet Bounds::RuledAxes::of(const WorkGroup& group, bool knows_rules) const {
  return (group.splits_anyhow || !knows_rules ? all : 0) | all_of(group.dims, axes);
}

Bounds::Work Bounds::work(const Choice& choice, const std::vector<Split>& further,
                          std::int64_t microbatches) const {
  const RuledAxes ruled_by = ruled(choice.mesh, choice.rules, further);
  const auto parts = static_cast<double>(microbatches);
  Work total = sums(choice, further, ruled_by);
  total.all /= parts;
  total.each /= parts;
  for (const WorkGroup& group : work_.groups()) {
    if (choice.pipeline && !group.in_stages) continue;
    const double shards = parts * size_of(choice.mesh, ruled_by.of(group, knows_rules_));
    const double seconds = std::max(group.seconds / shards, launch_);
    total.all += group.count * seconds;
    total.each += group.each * seconds;
  }
  return total;
}

Bounds::Work Bounds::sums(const Choice& choice, const std::vector<Split>& further,
                          const RuledAxes& ruled_by) const {
  Work total;
  if (!knows_rules_ || of_ == Of::work) return total;
  // What scopes do not leave whole anywhere.
  RuledAxes everywhere = ruled(choice.mesh, choice.rules, {});
  AxisSet handed_over = 0;
  for (const Split& split : further)
    if (!has(scope_dims_, split.dim)) handed_over |= bits_of(choice.mesh, split.axes);
  if (!further.empty())
    for (const std::string& dim : scope_dims_)
      if (const std::size_t* name = work_.find(dim)) everywhere.axes[*name] = 0;
  SumRates::OnMesh& mesh = sum_rates_.on(choice);
  for (const SumGroup& group : work_.sums()) {
    double most = 0;
    for (const SumGroup::Path& path : group.paths) {
      const AxisSet over = all_of(path.summed, everywhere.axes) & ~handed_over;
      const SumRates::Rates rates = mesh.over(over);
      double least = std::numeric_limits<double>::infinity();
      for (const SumGroup::Value& value : path.values) {
        const double bytes =
            value.bytes / size_of(choice.mesh, all_of(value.dims, ruled_by.axes) & ~over);
        // Where it is cut along an axis of the sum, each processor needs a part.
        const bool is_cut = (all_of(value.cut, ruled_by.axes) & over) != 0;
        least = std::min(least, bytes * (is_cut ? rates.reduce_scatter : rates.all_reduce));
      }
      most = std::max(most, least);
    }
    total.all += group.count * most;
    total.each += group.each * most;
  }
  return total;
}

}  // namespace mtfc::plan
