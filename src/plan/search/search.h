// The layout of a space with the least predicted step time that fits in memory, and the proof that
// there is none better: every legal layout was predicted, or cannot be faster than one that was, or
// cannot fit.
#pragma once
#include "plan/search/judged.h"
#include "plan/search/limits.h"
#include "plan/space/space.h"

namespace mtfc::plan {

/// The models of the space's micro-batches are asked for as they are needed.
Plan search(const Space& space, const Models& models, const SourceMap& sources,
            const predict::Machine& machine, const Limits& limits);

}  // namespace mtfc::plan
