// What the instructions of a step are called on a timeline, and what memory is in use at each: what
// predicted and measured timelines have in common.
#pragma once
#include <string>
#include <vector>

#include "cost/cost.h"
#include "trace/chrome_trace.h"

namespace mtfc::trace {

/// One instruction.
struct EventLabel {
  enum class Kind {
    nothing,  // another name for memory that is there, or the border of the program
    computation,
    collective,
    wait,
  };
  Kind kind = Kind::nothing;
  std::string name;       // "contract layers.0.attn.q", "all_reduce over model"
  std::string arguments;  // a JSON object: line, tensor, phase, FLOPs, bytes, rule, ...
  std::string axes;       // of a collective
  Phase phase = Phase::forward;
  std::size_t started = 0;  // wait: the number of the collective's instruction
  bool async = false;       // a collective that is only started here
  std::string what = {};    // without what it makes: "contract", "all_reduce model"
  std::string line = {};    // of the model: "models/gpt.mtf:14"; may be empty
};

/// Bytes in use on a processor from an instruction on, by all_memory_roles.
struct MemoryChange {
  std::size_t instruction = 0;
  std::vector<std::int64_t> bytes;
};

struct ProgramTracks {
  std::string program;
  std::int64_t times = 1;            // in a step
  std::vector<EventLabel> labels;    // by instruction
  std::vector<MemoryChange> memory;  // where it changes; at instruction 0 for the first time
  std::vector<cost::Work> work;      // by instruction
  std::int64_t processors = 1;       // for as many a measured process computes it
};

/// Of the programs of a training step in order; where there is nothing to train, of `run`.
std::vector<ProgramTracks> tracks_of_step(const Module& module, const SourceMap& sources,
                                          const cost::Detail& detail = {});
/// Of one of them, which must be there.
const ProgramTracks& tracks_of(const std::vector<ProgramTracks>& step, const std::string& program);
ProgramTracks tracks_of(const Module& module, const Program& program, const SourceMap& sources,
                        const cost::Detail& detail = {});

/// Tracks of a process of the timeline. Collectives have one for each set of axes, from
/// `collectives` on.
struct TrackNumbers {
  static constexpr int programs = 1, processor = 2, collectives = 3;
  std::vector<std::string> axes;  // "model"

  explicit TrackNumbers(const std::vector<ProgramTracks>& all);
  int of(const std::string& axes) const;
  /// Names them in the trace.
  void announce(ChromeTrace& trace, int process, const std::string& processor) const;
};

void add_memory(ChromeTrace& trace, int process, const MemoryChange& change, Nanoseconds at);

}  // namespace mtfc::trace
