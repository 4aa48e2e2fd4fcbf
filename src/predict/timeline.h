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

/// By instruction, in order. The network carries one collective at a time.
std::vector<Timed> timeline(const std::vector<cost::Work>& instructions, const Machine& machine,
                            const Mapping& mapping);

}  // namespace mtfc::predict
