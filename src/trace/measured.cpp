#include "trace/measured.h"

#include <algorithm>
#include <map>

#include "support/check.h"

namespace mtfc::trace {
namespace {

/// Names of memory and the like are done at once; below this they are left out.
constexpr Nanoseconds shortest_edge = 1000;

std::string_view category_of(EventLabel::Kind kind) {
  switch (kind) {
    case EventLabel::Kind::nothing:
      return "feeds and fetches";
    case EventLabel::Kind::computation:
      return "computation";
    case EventLabel::Kind::collective:
    case EventLabel::Kind::wait:
      break;
  }
  return "communication";
}

/// Adds the runs of one process, one after the other.
class ProcessTracks {
 public:
  ProcessTracks(ChromeTrace& trace, const std::vector<ProgramTracks>& step,
                const TrackNumbers& tracks, int process)
      : trace_(trace), step_(step), tracks_(tracks), process_(process) {}

  void add(const MeasuredRun& run) {
    const ProgramTracks& program = tracks_of(step_, run.program);
    const std::size_t count = program.labels.size();
    MTFC_CHECK(run.times.size() == count + 2, "a run that is not one of its program");
    trace_.slice(process_, TrackNumbers::programs, title(program), "program", run.times.front(),
                 run.times.back(), "{}");
    for (std::size_t i = 0; i < count; ++i) add_instruction(program, run, i);
    for (const MemoryChange& change : program.memory)
      add_memory(trace_, process_, change, run.times[change.instruction]);
  }

 private:
  /// "accumulate 3, step 2"
  std::string title(const ProgramTracks& program) {
    const std::int64_t run = runs_[program.program]++;
    const std::string part = program.times > 1 ? " " + std::to_string(run % program.times) : "";
    return program.program + part + ", step " + std::to_string(run / program.times + 1);
  }

  void add_instruction(const ProgramTracks& program, const MeasuredRun& run, std::size_t i) {
    const EventLabel& label = program.labels[i];
    const Nanoseconds begin = run.times[i], end = run.times[i + 1];
    const bool waits = label.kind == EventLabel::Kind::wait;
    if (label.kind == EventLabel::Kind::nothing && end - begin < shortest_edge) return;
    const std::string what = label.async ? (waits ? "wait for " : "start ") : "";
    trace_.slice(process_, TrackNumbers::processor, what + label.name, category_of(label.kind),
                 begin, end, label.arguments);
    if (label.kind == EventLabel::Kind::collective && !label.async)
      trace_.slice(process_, tracks_.of(label.axes), label.name, "waited for at once", begin, end,
                   label.arguments);
    if (waits)
      trace_.flight(process_, label.name, "started early", run.times[label.started], end,
                    label.arguments);
  }

  ChromeTrace& trace_;
  const std::vector<ProgramTracks>& step_;
  const TrackNumbers& tracks_;
  const int process_;
  std::map<std::string, std::int64_t> runs_;  // of each program until now
};

}  // namespace

void add_measured(ChromeTrace& trace, const std::vector<ProgramTracks>& step,
                  const std::vector<MeasuredProcess>& processes) {
  const TrackNumbers tracks(step);
  for (std::size_t number = 0; number < processes.size(); ++number) {
    const int process = static_cast<int>(number);
    tracks.announce(trace, process, processes[number].name);
    ProcessTracks added(trace, step, tracks, process);
    for (const MeasuredRun& run : processes[number].runs) added.add(run);
  }
}

}  // namespace mtfc::trace
