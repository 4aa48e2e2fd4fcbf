// A machine as plain numbers: what its chip does in a second, and its network level by level. Where
// the figures come from, and what they leave out: docs/hardware.md.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cost/work.h"
#include "support/dtype.h"

namespace mtfc::predict {

/// What kernels take besides what bounds them: for machines that are known so well. All threads of
/// a processor together, but seconds of one thread. 0: not known, nothing is added.
struct KernelCosts {
  std::int64_t threads = 1;  // that share the tasks of a kernel
  double call = 0;           // seconds that a call of the product library takes besides
  double turn = 0;           // seconds of an element of an operand that is turned for a product
  double step = 0;           // seconds of a step of a map over a block, besides its elements
  double run = 0;            // seconds of a short run of memory in such a step
  double seek = 0;           // seconds of finding a row in other kernels
  double samples = 0;        // random numbers a second
  double cache = 0;          // bytes that are kept near
  double cache_rate = 0;     // bytes/s to and from there
  std::array<double, scalar_op_count> operations{};  // a second; 0: `vector`
  bool known = false;                                // one of them is given
};

/// What is one processor of the mesh.
struct Chip {
  static constexpr std::size_t types = 4;  // f32, f64, f16, bf16: the floats come first in DType
  std::array<double, types> peaks{};       // FLOP/s of products, by element type
  double vector_peak = 0;                  // FLOP/s of everything else; 0: bounded by memory alone
  double memory = 0;                       // bytes
  double bandwidth = 0;                    // bytes/s to and from that memory, read or written
  double efficiency = 1;                   // the share of its peak that a product reaches
  double bandwidth_efficiency = 1;         // the share of `bandwidth` that is reached
  double launch = 0;                       // seconds that a kernel takes at least
  double overlap = 1;  // the share of computing, moving and launching that is beside the longest
  double comm_overlap = 1;  // the share of an asynchronous collective beside which it computes
  KernelCosts kernels;

  double peak(DType type) const;
  /// What has to be found out about programs to predict their time.
  cost::Detail detail() const;
};

enum class Topology : std::uint8_t {
  ring,      // each unit has a link to both of its neighbours
  torus,     // a grid of rings, of several dimensions
  switched,  // any two units reach each other at full speed
  tree,      // a binary tree of links that are equally fast everywhere
};
std::string_view name(Topology topology);

/// One level of the network: units of the level inside it (of the first: processors), connected.
struct Level {
  std::string name;
  Topology topology = Topology::switched;
  std::int64_t size = 1;     // units
  int dims = 1;              // of a torus
  double bandwidth = 0;      // bytes/s in each direction, of each link
  double latency = 0;        // seconds for a message to the next unit
  double efficiency = 1;     // the share of `bandwidth` that collectives reach
  double sum_rate = 0;       // bytes/s that a processor adds up for sums; 0: that takes no time
  std::int64_t sharers = 1;  // processors that have one link together
};

struct Machine {
  std::string name;
  Chip chip;
  std::vector<Level> levels;  // from the inside outwards
  bool by_axis = false;       // level i from the outside is mesh axis i, whatever its size
};

}  // namespace mtfc::predict
