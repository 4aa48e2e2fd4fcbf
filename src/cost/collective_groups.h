// Collectives of a step by where they come from: those of one kind, axes, rule, phase and line of
// the model are one row of a table. A line of the model stands for the library that it calls.
#pragma once
#include <cstdint>
#include <vector>

#include "cost/cost.h"
#include "support/json.h"

namespace mtfc::cost {

struct CollectiveGroup {
  CollectiveCost first;
  std::int64_t count = 0, bytes = 0, sent = 0;  // of all, per processor
  std::vector<std::size_t> members = {};        // their numbers in the list
  std::vector<std::string> library = {};        // lines of the library where they stand, each once
};

/// Fields of --json that say where it comes from: kind, axes, source, cause, phase.
JsonFields origin_fields(const CollectiveCost& one);

bool is_like(const CollectiveCost& a, const CollectiveCost& b);

/// Those that move most first.
std::vector<CollectiveGroup> grouped(const std::vector<CollectiveCost>& all);

}  // namespace mtfc::cost
