// The predicted timeline of a training step.
#pragma once
#include "predict/mapping.h"
#include "trace/step_tracks.h"

namespace mtfc::trace {

/// One processor, since all do the same: its programs and their phases, what it computes and waits
/// for, what the network carries for it along each set of axes, and its memory. Of a program that
/// runs for many micro-batches the first few runs are shown in full, the others as one event each.
/// Returns the seconds of the step.
double add_predicted(ChromeTrace& trace, const std::vector<ProgramTracks>& step,
                     const predict::Machine& machine, const predict::Mapping& mapping);

}  // namespace mtfc::trace
