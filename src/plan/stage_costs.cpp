#include "plan/stage_costs.h"

#include <algorithm>
#include <numeric>

#include "predict/predict_pipeline.h"
#include "predict/timeline.h"

namespace mtfc::plan {
namespace {

/// The first, two between of which one has an iteration more, and the last.
constexpr std::int64_t few = 2;
constexpr int inner = 1, longer = 2, last = 3;

/// Seconds of one run of a part: all, those that compute, and those on examples.
struct PartSeconds {
  double all = 0, computing = 0, floor = 0;
};

class Adder {
 public:
  Adder(const CompiledPipeline& made, const std::set<std::string>& examples,
        const predict::Machine& machine, const predict::MappedStages& mapped)
      : made_(made), examples_(examples), machine_(machine), mapped_(mapped) {}

  StageFigures virtual_stage(int number) const {
    const int stage = number % made_.module.shape.stages;
    const int chunk = number / made_.module.shape.stages;
    const backends::StageCost& cost = made_.cost.stages[static_cast<std::size_t>(stage)];
    StageFigures sum;
    sum.crossing = static_cast<double>(cost.crossing_bytes);
    sum.variables = static_cast<double>(cost.cost.variable_bytes) - sum.crossing;
    sum.held = static_cast<double>(cost.held_bytes[static_cast<std::size_t>(chunk)]);
    const auto messages = static_cast<double>(cost.cost.message_bytes);
    for (std::size_t i = 0; i < cost.cost.work.size(); ++i) {
      const backends::ProgramWork& work = cost.cost.work[i];
      const StagePart& at = part(work.program);
      const bool is_pass = at.pass != StagePart::Pass::other;
      double& arena = is_pass ? sum.passes_arena : sum.once_arena;
      arena = std::max(arena, static_cast<double>(cost.cost.arenas[i]) + messages);
      if (is_pass && at.chunk != chunk) continue;
      const PartSeconds seconds = seconds_of(stage, work);
      switch (at.pass) {
        case StagePart::Pass::forward:
          sum.forward += seconds.all;
          sum.computing_forward += seconds.computing;
          sum.floor_forward += seconds.floor;
          break;
        case StagePart::Pass::backward:
          sum.backward += seconds.all;
          sum.computing_backward += seconds.computing;
          sum.floor_backward += seconds.floor;
          break;
        case StagePart::Pass::other:
          sum.once += seconds.all * static_cast<double>(work.times);
      }
    }
    return sum;
  }

 private:
  const StagePart& part(const std::string& name) const {
    return *std::find_if(made_.module.cut.parts.begin(), made_.module.cut.parts.end(),
                         [&](const StagePart& one) { return one.name == name; });
  }

  PartSeconds seconds_of(int stage, const backends::ProgramWork& work) const {
    const Module& module = made_.module.stages[static_cast<std::size_t>(stage)];
    const Program& program = *module.find(work.program);
    const Examples examples(module, program, examples_);
    const std::vector<predict::Timed> timed = predict::timeline(
        work.instructions, machine_, mapped_.stages[static_cast<std::size_t>(stage)].mapping);
    PartSeconds sum;
    if (!timed.empty()) sum.all = timed.back().end;
    for (std::size_t i = 0; i < timed.size(); ++i) {
      if (timed[i].bound != predict::Timed::Bound::exposed) sum.computing += timed[i].seconds();
      sum.floor +=
          examples.seconds(program.instructions[i], work.instructions[i], timed[i], machine_.chip);
    }
    return sum;
  }

  const CompiledPipeline& made_;
  const std::set<std::string>& examples_;
  const predict::Machine& machine_;
  const predict::MappedStages& mapped_;
};

double most_once(const std::vector<StageFigures>& stages) {
  double most = 0;
  for (const StageFigures& one : stages) most = std::max(most, one.once);
  return most;
}

/// Of the small pipeline, its stages where stages like them lie of that which is asked for.
predict::MappedStages mapped_small(const predict::MappedStages& asked) {
  predict::MappedStages small = asked;
  const std::size_t end = asked.stages.size() - 1;
  small.stages = {asked.stages.front(), asked.stages[std::min<std::size_t>(1, end)],
                  asked.stages[end > 1 ? end - 1 : 0], asked.stages[end]};
  return small;
}

/// Which stages of the small pipeline send to each other as these do.
std::vector<std::pair<int, int>> alike(int from, int to, int stages) {
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

StageFigures StageFigures::plus(const StageFigures& other, double times) const {
  StageFigures sum = *this;
  for (double StageFigures::*figure :
       {&StageFigures::forward, &StageFigures::backward, &StageFigures::computing_forward,
        &StageFigures::computing_backward, &StageFigures::floor_forward,
        &StageFigures::floor_backward, &StageFigures::once, &StageFigures::variables,
        &StageFigures::crossing, &StageFigures::passes_arena, &StageFigures::once_arena,
        &StageFigures::held})
    sum.*figure += times * other.*figure;
  return sum;
}

std::vector<StageFigures> figures_of(const CompiledPipeline& made,
                                     const std::set<std::string>& examples,
                                     const predict::Machine& machine,
                                     const predict::MappedStages& mapped) {
  const Adder adder(made, examples, machine, mapped);
  std::vector<StageFigures> all;
  for (int i = 0; i < made.module.shape.virtual_stages(); ++i)
    all.push_back(adder.virtual_stage(i));
  return all;
}

const std::vector<std::int64_t>& StageCosts::small_cut() {
  static const std::vector<std::int64_t> blocks = {few, few, few + 1, few};
  return blocks;
}

std::int64_t StageCosts::small_iterations() {
  return std::accumulate(small_cut().begin(), small_cut().end(), std::int64_t{0});
}

std::vector<StageCosts::Link> StageCosts::links_of(const CompiledPipeline& made) {
  std::vector<Link> all;
  for (const backends::StageSend& send : made.cost.sends) {
    const StagePart& from = made.module.cut.parts[static_cast<std::size_t>(send.from)];
    const StagePart& to = made.module.cut.parts[static_cast<std::size_t>(send.to)];
    if (from.pass == StagePart::Pass::other) continue;
    all.push_back({{from.stage, from.pass == StagePart::Pass::backward, to.stage,
                    to.pass == StagePart::Pass::backward, 0, send.steady},
                   send});
  }
  return all;
}

StageCosts::StageCosts(const CompiledPipeline& made, const std::set<std::string>& examples,
                       const predict::Machine& machine, predict::MappedStages mapped)
    : machine_(machine), mapped_(std::move(mapped)), links_(links_of(made)) {
  const predict::MappedStages small = mapped_small(mapped_);
  const std::vector<StageFigures> all = figures_of(made, examples, machine, small);
  first_ = all[0];
  inner_ = all[inner];
  last_ = all[last];
  each_ = all[longer].plus(inner_, -1);
  once_between_ = predict::predict(made.module, made.cost, machine, small).once - most_once(all);
}

StageFigures StageCosts::of(int stage, int stages, std::int64_t iterations) const {
  const StageFigures& least = stage == 0 ? first_ : stage + 1 == stages ? last_ : inner_;
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
  for (const auto& [a, b] : alike(from, to, stages))
    for (const Link& link : links_) {
      if (link.passes.from != a || link.passes.to != b) continue;
      backends::StageSend sent = link.send;
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
