#include "plan/bounds.h"

#include <algorithm>
#include <cmath>

#include "plan/compile.h"
#include "plan/examples.h"
#include "plan/pricing.h"
#include "predict/timeline.h"

namespace mtfc::plan {
namespace {

using AxisSet = std::uint32_t;  // of the mesh, one bit each

AxisSet bits_of(const Mesh& mesh, const std::vector<std::string>& axes) {
  AxisSet bits = 0;
  for (std::size_t i = 0; i < mesh.axes.size(); ++i)
    if (std::find(axes.begin(), axes.end(), mesh.axes[i].name) != axes.end())
      bits |= AxisSet{1} << i;
  return bits;
}

}  // namespace

Bounds::Bounds(const Space& space, const Models& models, const SourceMap& sources,
               const predict::Machine& machine)
    : knows_rules_(space.given.rules.empty() && space.given.scopes.empty()),
      launch_(machine.chip.launch) {
  const std::int64_t all = models.iterations(), first = space.microbatches.front();
  if (all < Pricer::many) {
    if (const Model* model = models.find(first)) add(*model, sources, machine, 1, 0);
    return;
  }
  // f(few) + (all - few) (f(few + 1) - f(few))
  const auto further = static_cast<double>(all - Pricer::few);
  const Model* less = models.find(first, Pricer::few);
  const Model* more = models.find(first, Pricer::few + 1);
  if (!less || !more) return;
  add(*less, sources, machine, 1 - further, -1);
  add(*more, sources, machine, further, 1);
}

void Bounds::add(const Model& model, const SourceMap& sources, const predict::Machine& machine,
                 double times, double each) {
  const std::optional<Compiled> made =
      Compiler(sources, {}, machine.chip.detail()).compile({}, model);
  if (!made) return;
  // A view gives what is split another name, and work on that may stay split.
  std::set<std::string> own;
  for (const Variable& variable : model.variables)
    for (const DimId dim : variable.type.dims) own.insert(model.dims[dim].name);
  for (const Input& input : model.inputs)
    for (const DimId dim : input.type.dims) own.insert(model.dims[dim].name);
  const std::set<std::string> examples = example_dims(model);
  for (const backends::ProgramWork& work : made->work) {
    const Program& program = *made->module.find(work.program);
    const Examples on_examples(made->module, program, examples);
    const std::vector<predict::Timed> timed = predict::timeline(work.instructions, machine, {});
    for (std::size_t i = 0; i < timed.size(); ++i) {
      const Instruction& at = program.instructions[i];
      Group group;
      group.seconds = on_examples.seconds(at, work.instructions[i], timed[i], machine.chip);
      if (group.seconds == 0) continue;
      // Stages keep values that one program rather makes again.
      group.in_stages = work.instructions[i].kind == backends::Work::Kind::product ||
                        at.origin.phase == Phase::forward || at.origin.phase == Phase::backward;
      for (const auto* values : {&at.operands, &at.results})
        for (const ValueId id : *values)
          for (const DimId dim : program.at(id).type.tensor.dims) {
            const Dim& one = made->module.dims[dim];
            if (one.size == 1) continue;
            group.dims.push_back(number(one.name));
            group.splits_anyhow = group.splits_anyhow || !own.contains(one.name);
          }
      std::sort(group.dims.begin(), group.dims.end());
      group.dims.erase(std::unique(group.dims.begin(), group.dims.end()), group.dims.end());
      auto same = std::find_if(groups_.begin(), groups_.end(), [&](const Group& other) {
        return other.seconds == group.seconds && other.in_stages == group.in_stages &&
               other.dims == group.dims;
      });
      if (same == groups_.end()) same = groups_.insert(groups_.end(), std::move(group));
      same->count += times * static_cast<double>(work.times);
      same->each += each * static_cast<double>(work.times);
    }
  }
}

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
  std::vector<AxisSet> axes(numbers_.size(), 0);  // by number of the name
  AxisSet all = knows_rules_ ? 0 : ~AxisSet{0};
  const auto rule = [&](const std::string& name, AxisSet bits) {
    all |= bits;
    if (const auto known = numbers_.find(name); known != numbers_.end())
      axes[known->second] |= bits;
  };
  for (const Split& split : rules) rule(split.dim, bits_of(mesh, split.axes));
  if (!axis.empty()) rule(dim, bits_of(mesh, {axis}));
  Work total;
  for (const Group& group : groups_) {
    if (in_stages && !group.in_stages) continue;
    AxisSet split = group.splits_anyhow || !knows_rules_ ? all : 0;
    for (const std::size_t name : group.dims) split |= axes[name];
    auto shards = static_cast<double>(microbatches);
    for (std::size_t i = 0; i < mesh.axes.size(); ++i)
      if (split >> i & 1) shards *= static_cast<double>(mesh.axes[i].size);
    const double seconds = std::max(group.seconds / shards, launch_);
    total.all += group.count * seconds;
    total.each += group.each * seconds;
  }
  return total;
}

}  // namespace mtfc::plan
