// The measured timeline of training steps.
#pragma once
#include "trace/step_tracks.h"

namespace mtfc::trace {

/// One run of a program.
struct MeasuredRun {
  std::string program;
  /// When it began, when each instruction was done, and when it was through.
  std::vector<Nanoseconds> times;
};

/// What has a clock of its own: a rank, or the simulated mesh, which computes for all processors.
struct MeasuredProcess {
  std::string name;
  std::vector<MeasuredRun> runs;  // in order
};

/// The tracks of a predicted timeline for each process. An asynchronous collective is shown from
/// where it is started to where it is waited for, since nobody sees when it arrives.
void add_measured(ChromeTrace& trace, const std::vector<ProgramTracks>& step,
                  const std::vector<MeasuredProcess>& processes);

}  // namespace mtfc::trace
