// Where the time of a measured training step goes: the instructions of each line of the model,
// added up.
#pragma once
#include "trace/measured.h"

namespace mtfc::trace {

/// The instructions of one kind, line and phase.
struct TimeRow {
  std::string what;  // "contract", "all_reduce model"
  std::string line;  // "models/gpt.mtf:14"; may be empty
  Phase phase = Phase::forward;
  cost::Work::Kind kind{};
  DType dtype = DType::f32;     // of a product: what it multiplies
  std::int64_t calls = 0;       // in a step
  double seconds = 0;           // in a step
  double flops = 0, bytes = 0;  // in a step, of all processors that the process computes for
};

struct TimeTable {
  std::int64_t steps = 0;     // that were measured; 0: there is nothing else
  std::int64_t step = 0;      // the one that is shown, from 1
  double seconds = 0;         // of its programs
  std::vector<TimeRow> rows;  // those that take the longest first
};

/// Of the step of median time among those after the first, which opens libraries. Instructions that
/// run together tile by tile have a part of their time each, by scalar operations. What several of
/// a program's processors have alike is computed once.
TimeTable time_table(const std::vector<ProgramTracks>& step, const std::vector<MeasuredRun>& runs);

}  // namespace mtfc::trace
