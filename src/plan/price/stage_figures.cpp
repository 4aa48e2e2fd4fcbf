#include "plan/price/stage_figures.h"

#include <algorithm>

#include "plan/space/examples.h"
#include "predict/predict_pipeline.h"
#include "predict/timeline.h"

namespace mtfc::plan {
namespace {

/// Seconds of one run of a part: all, those that compute, and those on examples.
struct PartSeconds {
  double all = 0, computing = 0, floor = 0;
};

class Adder {
 public:
  Adder(const CompiledPipeline& made, const ExampleNames& examples, const predict::Machine& machine,
        const predict::MappedStages& mapped)
      : made_(made),
        examples_(examples),
        machine_(machine),
        mapped_(mapped),
        once_parts_(once_parts(made)) {}

  StageFigures virtual_stage(int number) const {
    const int stage = number % made_.module.shape.stages;
    const int chunk = number / made_.module.shape.stages;
    const cost::StageCost& cost = made_.cost.stages[static_cast<std::size_t>(stage)];
    StageFigures sum;
    sum.crossing = static_cast<double>(cost.crossing_bytes);
    sum.variables = static_cast<double>(cost.cost.variable_bytes) - sum.crossing;
    sum.held = static_cast<double>(cost.held_bytes[static_cast<std::size_t>(chunk)]);
    const auto messages = static_cast<double>(cost.cost.message_bytes);
    for (std::size_t i = 0; i < cost.cost.work.size(); ++i) {
      const cost::ProgramWork& work = cost.cost.work[i];
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
          if (const int part = once_part(at); part >= 0)
            sum.once[static_cast<std::size_t>(part)] +=
                seconds.all * static_cast<double>(work.times);
      }
    }
    return sum;
  }

 private:
  const StagePart& part(const std::string& name) const {
    return *std::find_if(made_.module.cut.parts.begin(), made_.module.cut.parts.end(),
                         [&](const StagePart& one) { return one.name == name; });
  }

  int once_part(const StagePart& part) const {
    return once_parts_[static_cast<std::size_t>(&part - made_.module.cut.parts.data())];
  }

  PartSeconds seconds_of(int stage, const cost::ProgramWork& work) const {
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
  const ExampleNames& examples_;
  const predict::Machine& machine_;
  const predict::MappedStages& mapped_;
  const std::vector<int> once_parts_;
};

}  // namespace

StageFigures StageFigures::plus(const StageFigures& other, double times) const {
  StageFigures sum = *this;
  for (double StageFigures::*figure :
       {&StageFigures::forward, &StageFigures::backward, &StageFigures::computing_forward,
        &StageFigures::computing_backward, &StageFigures::floor_forward,
        &StageFigures::floor_backward, &StageFigures::variables, &StageFigures::crossing,
        &StageFigures::passes_arena, &StageFigures::once_arena, &StageFigures::held})
    sum.*figure += times * other.*figure;
  for (std::size_t i = 0; i < once.size(); ++i) sum.once[i] += times * other.once[i];
  return sum;
}

std::vector<StageFigures> figures_of(const CompiledPipeline& made, const ExampleNames& examples,
                                     const predict::Machine& machine,
                                     const predict::MappedStages& mapped) {
  const Adder adder(made, examples, machine, mapped);
  std::vector<StageFigures> all;
  for (int i = 0; i < made.module.shape.virtual_stages(); ++i)
    all.push_back(adder.virtual_stage(i));
  return all;
}

bool reaches_over(const CompiledPipeline& made) {
  const auto part = [&](int number) -> const StagePart& {
    return made.module.cut.parts[static_cast<std::size_t>(number)];
  };
  const int last = made.module.shape.stages - 1;
  for (const Crossing& crossing : made.module.cut.crossings)
    for (const int to : crossing.to) {
      if (part(to).pass == StagePart::Pass::other) continue;
      const auto [first, second] = std::minmax(part(crossing.from).stage, part(to).stage);
      if (second - first > 1 && !(crossing.steady && first == 0 && second == last)) return true;
    }
  return false;
}

std::vector<StageLink> links_of(const CompiledPipeline& made) {
  const std::vector<int> numbers = once_parts(made);
  std::vector<StageLink> all;
  for (const cost::StageSend& send : made.cost.sends) {
    const StagePart& from = made.module.cut.parts[static_cast<std::size_t>(send.from)];
    const StagePart& to = made.module.cut.parts[static_cast<std::size_t>(send.to)];
    const int from_part = numbers[static_cast<std::size_t>(send.from)];
    const int to_part = numbers[static_cast<std::size_t>(send.to)];
    if (to_part >= 0)
      all.push_back({{from.stage, false, to.stage, false}, send, true, from_part, to_part});
    else if (from.pass != StagePart::Pass::other)
      all.push_back({{from.stage, from.pass == StagePart::Pass::backward, to.stage,
                      to.pass == StagePart::Pass::backward, 0, send.steady},
                     send});
  }
  return all;
}

void add(StageSends& all, const StageSends& more) {
  all.passes.insert(all.passes.end(), more.passes.begin(), more.passes.end());
  all.once.insert(all.once.end(), more.once.begin(), more.once.end());
}

void add(StageSends& all, const StageLink& link, int from, int to, double share,
         const predict::Machine& machine, const predict::MappedStages& mapped) {
  const int most = static_cast<int>(mapped.stages.size());  // virtual stages may be more
  cost::StageSend sent = link.send;
  sent.bytes = share * sent.received;
  const double time = predict::send_seconds(sent, from % most, to % most, machine, mapped);
  if (link.is_once) {
    all.once.push_back({from, link.from_part, to, link.to_part, time});
    return;
  }
  pipeline::Send& send = all.passes.emplace_back(link.passes);
  send.from = from;
  send.to = to;
  send.time = time;
}

}  // namespace mtfc::plan
