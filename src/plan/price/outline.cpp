#include "plan/price/outline.h"

#include <algorithm>
#include <limits>

#include "predict/collectives.h"

namespace mtfc::plan {
namespace {

using cost::Work;
using Event = Outline::Event;

/// What a collective takes, by what it takes when links of a level need no time.
void set_seconds(Event& event, const Work& work, double seconds, const predict::Machine& machine,
                 const predict::Mapping& mapping) {
  event.latency = seconds;
  for (std::size_t i = 0; i < std::min(machine.levels.size(), most_levels); ++i) {
    predict::Machine other = machine;
    other.levels[i].bandwidth = std::numeric_limits<double>::infinity();
    const std::vector<predict::GroupLevel> group = predict::group_levels(work.axes, other, mapping);
    event.carried[i] = seconds - predict::collective_seconds(work.exchange, work.bytes, group);
    event.latency -= event.carried[i];
  }
}

}  // namespace

Outline::Part outline_of(const cost::ProgramWork& program, const std::vector<predict::Timed>& timed,
                         const predict::Machine& machine, const predict::Mapping& mapping) {
  Outline::Part part;
  part.times = static_cast<double>(program.times);
  std::vector<std::uint32_t> number(timed.size());  // of the event, by instruction
  for (std::size_t i = 0; i < timed.size(); ++i) {
    const Work& work = program.instructions[i];
    const bool waits = work.kind == Work::Kind::wait;
    if (!waits && work.kind != Work::Kind::collective) {
      part.computing += timed[i].seconds();
      continue;
    }
    Event event;
    event.kind = waits ? Event::Kind::wait : work.async ? Event::Kind::start : Event::Kind::send;
    std::swap(event.computing, part.computing);
    if (waits)
      event.started = number[work.started];
    else
      set_seconds(event, work, timed[i].arrives - timed[i].departs, machine, mapping);
    number[i] = static_cast<std::uint32_t>(part.events.size());
    part.events.push_back(event);
  }
  return part;
}

double seconds_of(const Outline& outline, std::size_t level, double factor) {
  double total = 0;
  std::vector<double> arrives;
  for (const Outline::Part& part : outline.parts) {
    double now = 0, network_free = 0;
    arrives.assign(part.events.size(), 0);
    for (std::size_t i = 0; i < part.events.size(); ++i) {
      const Event& event = part.events[i];
      now += event.computing;
      if (event.kind == Event::Kind::wait) {
        now = std::max(now, arrives[event.started]);
        continue;
      }
      double seconds = event.latency;
      for (std::size_t l = 0; l < most_levels; ++l)
        seconds += event.carried[l] / (l == level ? factor : 1);
      arrives[i] = network_free = std::max(now, network_free) + seconds;
      if (event.kind == Event::Kind::send) now = arrives[i];
    }
    total += (now + part.computing) * part.times;
  }
  return total;
}

}  // namespace mtfc::plan
