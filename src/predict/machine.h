// A machine as plain numbers: what its chip does in a second, and its network level by level. Where
// the figures come from, and what they leave out: docs/hardware.md.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/dtype.h"

namespace mtfc::predict {

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

  double peak(DType type) const;
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
  std::int64_t sharers = 1;  // processors that have one link together
};

struct Machine {
  std::string name;
  Chip chip;
  std::vector<Level> levels;  // from the inside outwards
  bool by_axis = false;       // level i from the outside is mesh axis i, whatever its size
};

}  // namespace mtfc::predict
