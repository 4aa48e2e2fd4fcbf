#include "predict/timeline.h"

#include <algorithm>
#include <map>

#include "predict/collectives.h"
#include "predict/kernel_time.h"

namespace mtfc::predict {
namespace {

using cost::Work;

/// Walks one program on two lines: what computes, and the network.
class Walk {
 public:
  Walk(const Machine& machine, const Mapping& mapping) : machine_(machine), mapping_(mapping) {}

  std::vector<Timed> run(const std::vector<Work>& instructions) {
    for (const Work& work : instructions) {
      Timed& timed = all_.emplace_back();
      timed.begin = timed.end = now_;
      if (work.kind == Work::Kind::collective)
        send(work, timed);
      else if (work.kind == Work::Kind::wait)
        wait_until(all_[work.started].arrives, timed);
      else if (work.kind != Work::Kind::none)
        compute(work, timed);
      now_ = timed.end;
    }
    return std::move(all_);
  }

 private:
  void compute(const Work& work, Timed& timed) const {
    const Chip& chip = machine_.chip;
    const bool product = work.kind == Work::Kind::product;
    const KernelTime time = kernel_time(work, chip);
    const double bound = std::max(time.computing, time.memory);
    timed.bound = bound < chip.launch            ? Timed::Bound::launch
                  : time.computing < time.memory ? Timed::Bound::memory
                  : product                      ? Timed::Bound::products
                                                 : Timed::Bound::others;
    timed.end += time.seconds(chip);
  }

  void send(const Work& work, Timed& timed) {
    timed.departs = std::max(now_, network_free_);
    timed.arrives = network_free_ = timed.departs + seconds_of(work);
    // What of an asynchronous one is the processor's own work is done at once.
    const double own = (1 - machine_.chip.comm_overlap) * (timed.arrives - timed.departs);
    wait_until(work.async ? timed.begin + own : timed.arrives, timed);
  }

  static void wait_until(double arrival, Timed& timed) {
    if (arrival <= timed.begin) return;
    timed.bound = Timed::Bound::exposed;
    timed.end = arrival;
  }

  double seconds_of(const Work& work) {
    auto [at, fresh] = groups_.try_emplace(work.axes);
    if (fresh) at->second = group_levels(work.axes, machine_, mapping_);
    return collective_seconds(work.exchange, work.bytes, at->second) +
           message_seconds(work, machine_.chip);
  }

  const Machine& machine_;
  const Mapping& mapping_;
  std::map<std::vector<AxisId>, std::vector<GroupLevel>> groups_;  // by axes
  std::vector<Timed> all_;
  double now_ = 0, network_free_ = 0;
};

}  // namespace

Summed sum_of(const std::vector<Timed>& timed) {
  Summed sum;
  for (const Timed& one : timed) {
    sum.processor += one.seconds();
    sum.communication += one.arrives - one.departs;
    if (one.bound == Timed::Bound::exposed) sum.exposed += one.seconds();
  }
  return sum;
}

std::vector<Timed> timeline(const std::vector<Work>& instructions, const Machine& machine,
                            const Mapping& mapping) {
  return Walk(machine, mapping).run(instructions);
}

}  // namespace mtfc::predict
