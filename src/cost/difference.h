// What two layouts of one model do differently, from their costs.
#pragma once
#include <string>
#include <vector>

#include "cost/collective_groups.h"
#include "support/json.h"

namespace mtfc::cost {

/// Of one processor under the first layout, and under the second.
template <class Number>
struct Both {
  Number a = 0, b = 0;
  bool differ() const { return a != b; }
};

/// Collectives of one origin (collective_groups.h) that are not as many, or not as large.
struct CollectiveDifference {
  CollectiveCost first;  // its kind, axes, source, cause and phase
  Both<std::int64_t> count, sent;
};

/// A line of the model that computes, sends or holds otherwise.
struct LineDifference {
  std::string source;
  Both<double> flops;
  Both<std::int64_t> sent, memory;  // memory: alive at the peak
};

struct CostDifference {
  std::vector<CollectiveDifference> collectives;  // by how much is sent, the largest first
  std::vector<LineDifference> lines;              // those that differ most first
  bool same = false;                              // in nothing that a cost says
};

CostDifference difference_of(const Cost& a, const Cost& b);

/// Fields of --json: `same`, `collectives`, `lines`; each figure is {"a": .., "b": ..}.
JsonFields json_fields(const CostDifference& difference);

}  // namespace mtfc::cost
