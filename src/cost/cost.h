// What one run of a program costs, from types alone. Must equal what the simulator counts.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "comm/work_counters.h"
#include "cost/peak.h"
#include "cost/work.h"
#include "support/json.h"
#include "support/special_members.h"

namespace mtfc::cost {

struct CollectiveCost {
  std::string kind;                         // "all_reduce"
  std::string axes;                         // "rows" or "rows+cols"
  std::int64_t elements_per_processor = 0;  // the operand's shard; all_gather: the result's
  std::int64_t bytes_per_processor = 0;
  std::int64_t sent_per_processor = 0;  // bytes to other processors (comm/exchange_spec.h)
  std::string operation;                // of a sum: what is summed; else what needs it: "contract"
  std::string tensor;  // the value's name in the model; of a bucket: joined by ", "
  std::string source;  // "two_layer.mtf:9", empty if unknown
  std::string call;    // of a line of the library: "two_layer.mtf:7", which calls it; else empty
  std::string cause;   // the layout rule behind it, "hidden:cols"
  std::string phase;   // "forward", "backward", "recompute", "update"

  /// Where the model has it: its own line rather than the library's.
  const std::string& model_line() const { return call.empty() ? source : call; }
};

/// Work that several processors do alike, because nothing splits it over some axes.
struct RepeatedWork {
  double flops_per_processor = 0;
  std::int64_t times = 1;  // processors that do the same
  std::string axes;        // along these
  std::string source, phase;
};

/// What one line of the model computes and sends on a processor, in all phases.
struct LineCost {
  std::string source;  // "two_layer.mtf:9", empty: of no line
  double flops = 0;
  std::int64_t sent = 0, collectives = 0;
};

/// When a processor may hold the most in a run, if that is not in a step.
inline constexpr const char *in_an_evaluation = "in an evaluation",
                            *for_first_values = "for first values";
/// The most that a processor holds in a run.
struct MostMemory {
  std::int64_t bytes = 0;
  std::string when = {};  // one of these; empty: in a step
};

struct Cost {
  MTFC_DECLARE_SPECIAL_MEMBERS(Cost, noexcept);
  std::int64_t processors = 1;
  std::int64_t parameters = 0;  // elements of all parameters, whole
  double flops_per_processor = 0;
  // Per processor (ProgramMemory):
  std::int64_t variable_bytes = 0;  // what lives from step to step
  std::int64_t arena_bytes = 0;     // values of a step, and collectives that are waited for at once
  std::int64_t message_bytes = 0;   // buffers of asynchronous collectives
  // The same outside of steps (cost/beside_step.h); 0: not counted.
  std::int64_t first_values_bytes = 0, evaluation_bytes = 0;
  std::vector<std::vector<Travel>> travels;  // by program that runs
  std::vector<std::int64_t> arenas;          // the same: of `figures_of_step` alone
  PhaseBytes in_use{};                       // of all programs, of `figures_of_step` alone
  MemoryPeak peak;                           // what is in them where the most is in use
  std::vector<CollectiveCost> collectives;   // in program order
  std::vector<RepeatedWork> repeated;        // one for each line, phase and axes; largest first
  std::vector<LineCost> lines;               // in program order
  std::vector<ProgramWork> work;             // instruction by instruction

  std::int64_t moved_per_processor() const;  // operands of collectives, in bytes
  std::int64_t sent_per_processor() const;   // bytes
  /// Of the work of a processor, what would not be there if nothing were done twice.
  double repeated_flops() const;

  /// In a step.
  std::int64_t memory_per_processor() const { return variable_bytes + arena_bytes + message_bytes; }
  /// `step`: bytes that it holds in a step.
  MostMemory most_memory(std::int64_t step) const;
  MostMemory most_memory() const { return most_memory(memory_per_processor()); }
};

Cost cost_of(const Module& module, const Program& program, const SourceMap& sources,
             const Detail& detail = {});
/// Of a whole training step: every program as often as it runs; `arena_bytes` are of the largest.
Cost cost_of_step(const Module& module, const SourceMap& sources, const Detail& detail = {});
/// Of a step its bytes and `work` alone: what a search over layouts asks for.
Cost figures_of_step(const Module& module, const SourceMap& sources, const Detail& detail = {});

/// One JSON object: processors, parameters, flops, memory (each {per_processor, total}), peak
/// (cost/peak.h) and collectives.
/// `more`: further fields of each collective, in order.
std::string to_json(const Cost& cost, const std::vector<JsonFields>& more = {});
/// What a run counted, in the same form: flops and collectives. What the counters do not know, the
/// collectives' tensors and sources, comes from the cost of the same program.
std::string to_json(const runtime::Counters& counters, const Cost& cost);

}  // namespace mtfc::cost
