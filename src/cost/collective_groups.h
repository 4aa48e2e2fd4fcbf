// Collectives of a step by where they come from: those of one kind, axes, rule, phase and line are
// one row of a table.
#pragma once
#include <cstdint>
#include <vector>

#include "cost/cost.h"
#include "support/json.h"

namespace mtfc::backends {

struct CollectiveGroup {
  CollectiveCost first;
  std::int64_t count = 0, bytes = 0, sent = 0;  // of all, per processor
};

/// Fields of --json that say where it comes from: kind, axes, source, cause, phase.
JsonFields origin_fields(const CollectiveCost& one);

bool is_like(const CollectiveCost& a, const CollectiveCost& b);

/// Those that move most first.
std::vector<CollectiveGroup> grouped(const std::vector<CollectiveCost>& all);

}  // namespace mtfc::backends
