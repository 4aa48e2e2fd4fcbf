#include "predict/predict.h"

#include "predict/timeline.h"

namespace mtfc::predict {
namespace {

using cost::Work;

double& part_of(Prediction& prediction, Timed::Bound bound) {
  switch (bound) {
    case Timed::Bound::products:
      return prediction.products;
    case Timed::Bound::nothing:
    case Timed::Bound::others:
      return prediction.others;
    case Timed::Bound::memory:
      return prediction.memory;
    case Timed::Bound::launch:
      return prediction.launches;
    case Timed::Bound::exposed:
      break;
  }
  return prediction.exposed;
}

/// Collectives of one run of a program.
std::vector<Prediction::Carried> carried(const std::vector<Work>& instructions,
                                         const std::vector<Timed>& timed) {
  std::vector<Prediction::Carried> all;
  std::vector<std::size_t> number(instructions.size(), 0);  // of a collective, by instruction
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const Work& work = instructions[i];
    const double waited = timed[i].bound == Timed::Bound::exposed ? timed[i].seconds() : 0;
    if (work.kind == Work::Kind::wait) all[number[work.started]].exposed += waited;
    if (work.kind != Work::Kind::collective) continue;
    number[i] = all.size();
    all.push_back({timed[i].arrives - timed[i].departs, waited});
  }
  return all;
}

void add(Prediction& total, const cost::ProgramWork& program, const Machine& machine,
         const Mapping& mapping) {
  const auto times = static_cast<double>(program.times);
  const std::vector<Timed> timed = timeline(program.instructions, machine, mapping);
  for (std::size_t i = 0; i < timed.size(); ++i) {
    part_of(total, timed[i].bound) += timed[i].seconds() * times;
    const Work& work = program.instructions[i];
    total.peak_all += work.products / machine.chip.peak(work.dtype) * times;
  }
  total.peak_model += model_seconds(program, machine.chip);
  total.hidden += sum_of(timed).hidden() * times;
  const std::vector<Prediction::Carried> once = carried(program.instructions, timed);
  for (std::int64_t i = 0; i < program.times; ++i)
    total.collectives.insert(total.collectives.end(), once.begin(), once.end());
  if (!timed.empty()) total.step += timed.back().end * times;
}

}  // namespace

double model_seconds(const cost::ProgramWork& program, const Chip& chip) {
  double seconds = 0;
  for (const Work& work : program.instructions)
    seconds += (work.products - work.again) / chip.peak(work.dtype) *
               static_cast<double>(program.times) / static_cast<double>(work.times);
  return seconds;
}

Prediction predict(const cost::Cost& cost, const Machine& machine, const Mapping& mapping) {
  Prediction total;
  for (const cost::ProgramWork& program : cost.work) add(total, program, machine, mapping);
  total.memory_needed = cost.most_memory();
  total.memory_there = machine.chip.memory;
  return total;
}

}  // namespace mtfc::predict
