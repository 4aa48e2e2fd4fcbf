// When the instructions of a program run on a machine: what a processor computes or waits for, and
// what the network carries meanwhile.
#pragma once
#include <cstdint>
#include <vector>

#include "cost/work.h"
#include "predict/mapping.h"

namespace mtfc::predict {

/// Seconds from the beginning of the program. The processor is never idle: each instruction begins
/// where the one before it ends.
struct Timed {
  /// What the processor's time from `begin` to `end` is spent on.
  enum class Bound : std::uint8_t {
    nothing,   // it takes no time
    products,  // a product, as long as the chip computes
    others,    // anything else that computes, as long as that takes
    memory,    // as long as its memory needs
    launch,    // as long as a kernel takes at least
    exposed,   // communication is waited for
  };
  Bound bound = Bound::nothing;
  double begin = 0, end = 0;
  double departs = 0, arrives = 0;  // a collective: from when to when the network carries it

  double seconds() const { return end - begin; }
};

/// Seconds of a program's instructions together.
struct Summed {
  double processor = 0;      // computing and waiting
  double communication = 0;  // that the network carries
  double exposed = 0;        // of that, what is waited for
  double computing() const { return processor - exposed; }
  double hidden() const { return communication - exposed; }
};
Summed sum_of(const std::vector<Timed>& timed);

/// By instruction, in order. The network carries one collective at a time.
std::vector<Timed> timeline(const std::vector<cost::Work>& instructions, const Machine& machine,
                            const Mapping& mapping);

}  // namespace mtfc::predict
