// What the values that depend on the generated ids are with respect to their positions, and whether
// the logits at a position depend on ids up to that position only.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ir/model.h"

namespace mtfc::lowering {

/// The logits' ancestors, expanded and pruned; the ids are the input "generate.tokens". One output:
/// the logits.
struct Cut {
  Graph graph;
  ValueId tokens, logits;
  DimId over;
};
Cut cut_at_tokens(const Model& model);

enum class Stage : std::uint8_t {
  fixed,  // does not depend on the ids
  at,     // has the dimension
  past,   // has one renamed copy of it
  pair,   // has the dimension and copies
};

/// Why there is no incremental program: an operation that obeys no rule.
struct Obstacle {
  Span span;
  std::string why;
};

struct Positions {
  DimList copies;             // of the dimension, in the order in which they are met
  std::vector<Stage> stages;  // by value
  /// By value: all entries so far are needed, so that they are kept. Of a past value along its
  /// copy; of a value at a position along the dimension (look-backs).
  std::vector<bool> kept;
  /// By value: a running sum along positions, of which one entry is carried: the sum so far.
  std::vector<bool> carried;
  std::optional<Obstacle> obstacle;  // the first; the rest means nothing then

  bool is_position(DimId dim, DimId over) const { return dim == over || contains(copies, dim); }
};
Positions find_positions(const Cut& cut, const DimTable& dims);

}  // namespace mtfc::lowering
