// The moments that matter to a few nodes: stretches in which none of their pieces begins or ends,
// so that only the least slack of each counts.
#pragma once
#include "solve/core.h"

namespace mtfc::solve {

struct Stretches {
  std::vector<double> slack;       // by stretch: what the nodes may use, negative where others do
  std::vector<CorePiece> pieces;   // of the nodes, from stretch to stretch
  std::vector<std::size_t> begin;  // of a node's pieces; one more than nodes
  std::span<const CorePiece> pieces_of(std::size_t k) const {
    return {pieces.data() + begin[k], pieces.data() + begin[k + 1]};
  }
};

/// `usage` is that of all other nodes, by moment.
Stretches stretches_of(const Core& core, const std::vector<std::uint32_t>& nodes,
                       const std::vector<double>& usage);

}  // namespace mtfc::solve
