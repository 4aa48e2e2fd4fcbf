#include "predict/predict.h"

#include <algorithm>
#include <map>

#include "predict/collectives.h"

namespace mtfc::predict {
namespace {

using backends::Work;

/// Walks one program in order, on two timelines: what computes, and the network, which carries one
/// collective at a time.
class Timeline {
 public:
  Timeline(const Machine& machine, const Mapping& mapping) : machine_(machine), mapping_(mapping) {}

  Prediction run(const std::vector<Work>& instructions) {
    ends_.assign(instructions.size(), 0);
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      const Work& work = instructions[i];
      if (work.kind == Work::Kind::collective)
        send(work, i);
      else if (work.kind == Work::Kind::wait)
        wait_until(ends_[work.started]);
      else if (work.kind != Work::Kind::none)
        compute(work);
    }
    made_.step = now_;
    made_.hidden = communication_ - made_.exposed;
    return made_;
  }

 private:
  void compute(const Work& work) {
    const Chip& chip = machine_.chip;
    const bool product = work.kind == Work::Kind::product;
    double computing = 0;
    if (product) {
      const double at_peak = work.flops / chip.peak(work.dtype);
      computing = at_peak / chip.efficiency;
      made_.peak_all += at_peak;
      if (work.phase != Phase::recompute)
        made_.peak_model += at_peak / static_cast<double>(work.times);
    } else if (chip.vector_peak > 0) {
      computing = work.flops / chip.vector_peak;
    }
    const double memory = work.bytes / (chip.bandwidth * chip.bandwidth_efficiency);
    const double bound = std::max(computing, memory);
    (bound < chip.launch  ? made_.launches
     : computing < memory ? made_.memory
     : product            ? made_.products
                          : made_.others) += std::max(bound, chip.launch);
    now_ += std::max(bound, chip.launch);
  }

  void send(const Work& work, std::size_t number) {
    const double seconds = collective(work);
    communication_ += seconds;
    network_free_ = std::max(now_, network_free_) + seconds;
    ends_[number] = network_free_;
    if (!work.async) wait_until(network_free_);
  }

  void wait_until(double end) {
    if (end <= now_) return;
    made_.exposed += end - now_;
    now_ = end;
  }

  double collective(const Work& work) {
    auto [at, fresh] = groups_.try_emplace(work.axes);
    if (fresh) at->second = group_levels(work.axes, machine_, mapping_);
    return collective_seconds(work.exchange, work.bytes, at->second);
  }

  const Machine& machine_;
  const Mapping& mapping_;
  std::map<std::vector<AxisId>, std::vector<GroupLevel>> groups_;  // by axes
  Prediction made_;
  double now_ = 0, network_free_ = 0, communication_ = 0;
  std::vector<double> ends_;  // of collectives, by instruction
};

void add(Prediction& total, const Prediction& once, double times) {
  for (double Prediction::*part :
       {&Prediction::step, &Prediction::products, &Prediction::others, &Prediction::memory,
        &Prediction::launches, &Prediction::exposed, &Prediction::hidden, &Prediction::peak_all,
        &Prediction::peak_model})
    total.*part += once.*part * times;
}

}  // namespace

Prediction predict(const backends::Cost& cost, const Machine& machine, const Mapping& mapping) {
  Prediction total;
  for (const backends::ProgramWork& program : cost.work)
    add(total, Timeline(machine, mapping).run(program.instructions),
        static_cast<double>(program.times));
  total.memory_needed = static_cast<double>(cost.memory_per_processor());
  total.memory_there = machine.chip.memory;
  return total;
}

}  // namespace mtfc::predict
