// What a training step sends, from its graphs alone: before any program is made.
#pragma once
#include "lowering/state/state.h"

namespace mtfc::lowering {

struct ResolvedStep {
  std::int64_t collectives = 0;  // that one processor takes part in
  double sent_bytes = 0;         // by one processor
};

/// `state` after `shard-update` and before `lower`. The sum of what `resolve` answers for each
/// operation, as often as its program runs; passes over programs make it less.
ResolvedStep resolve_step(const State& state);

}  // namespace mtfc::lowering
