#include "trace/predicted.h"

#include "predict/timeline.h"

namespace mtfc::trace {
namespace {

using predict::Timed;

constexpr int process = 0;
/// Of a program that runs for each micro-batch: so many runs are shown in full.
constexpr std::int64_t shown_runs = 4;

std::string_view category(Timed::Bound bound) {
  switch (bound) {
    case Timed::Bound::nothing:
    case Timed::Bound::others:
      return "bound by other computation";
    case Timed::Bound::products:
      return "bound by products";
    case Timed::Bound::memory:
      return "bound by memory traffic";
    case Timed::Bound::launch:
      return "bound by a kernel launch";
    case Timed::Bound::exposed:
      break;
  }
  return "exposed communication";
}

/// One run of a program that begins at `start` seconds.
class RunOf {
 public:
  RunOf(ChromeTrace& trace, const TrackNumbers& tracks, const ProgramTracks& program,
        const std::vector<Timed>& timed, double start)
      : trace_(trace), tracks_(tracks), program_(program), timed_(timed), start_(start) {}

  void add(const std::string& title) {
    if (timed_.empty()) return;
    trace_.slice(process, TrackNumbers::programs, title, "program", at(0), at(timed_.back().end),
                 "{}");
    add_phases();
    for (std::size_t i = 0; i < timed_.size(); ++i) add_instruction(i);
    for (const MemoryChange& change : program_.memory)
      add_memory(trace_, process, change, at(timed_[change.instruction].begin));
  }

  /// One that is like those before.
  void add_again(const std::string& title) {
    if (timed_.empty()) return;
    for (const int track : {TrackNumbers::programs, TrackNumbers::processor})
      trace_.slice(process, track, title, "as before", at(0), at(timed_.back().end), "{}");
  }

 private:
  Nanoseconds at(double seconds) const { return nanoseconds(start_ + seconds); }

  /// Stretches of one phase, by the instructions that take time.
  void add_phases() {
    double begin = 0;
    Phase phase = Phase::forward;
    const auto end_at = [&](double end) {
      trace_.slice(process, TrackNumbers::programs, name(phase), "phase", at(begin), at(end), "{}");
      begin = end;
    };
    for (std::size_t i = 0; i < timed_.size(); ++i) {
      if (timed_[i].seconds() <= 0) continue;
      if (program_.labels[i].phase != phase) end_at(timed_[i].begin);
      phase = program_.labels[i].phase;
    }
    end_at(timed_.back().end);
  }

  void add_instruction(std::size_t i) {
    const EventLabel& label = program_.labels[i];
    const Timed& timed = timed_[i];
    const bool waits = timed.bound == Timed::Bound::exposed;
    trace_.slice(process, TrackNumbers::processor, (waits ? "wait for " : "") + label.name,
                 category(timed.bound), at(timed.begin), at(timed.end), label.arguments);
    if (label.kind == EventLabel::Kind::collective)
      trace_.slice(process, tracks_.of(label.axes), label.name,
                   label.async ? "started early" : "waited for at once", at(timed.departs),
                   at(timed.arrives), label.arguments);
  }

  ChromeTrace& trace_;
  const TrackNumbers& tracks_;
  const ProgramTracks& program_;
  const std::vector<Timed>& timed_;
  const double start_;
};

}  // namespace

double add_predicted(ChromeTrace& trace, const std::vector<ProgramTracks>& step,
                     const predict::Machine& machine, const predict::Mapping& mapping) {
  const TrackNumbers tracks(step);
  tracks.announce(trace, process, "each processor, predicted on " + machine.name);
  double start = 0;
  for (const ProgramTracks& program : step) {
    const std::vector<Timed> timed = predict::timeline(program.work, machine, mapping);
    for (std::int64_t run = 0; run < program.times; ++run) {
      const std::string number = program.times > 1 ? " " + std::to_string(run) : "";
      RunOf one(trace, tracks, program, timed, start);
      if (run < shown_runs)
        one.add(program.program + number);
      else
        one.add_again(program.program + number);
      if (!timed.empty()) start += timed.back().end;
    }
  }
  return start;
}

}  // namespace mtfc::trace
