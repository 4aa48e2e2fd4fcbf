// The layout of a space with the least predicted step time that fits in memory, and the proof that
// there is none better: every legal layout was predicted, or cannot be faster than one that was, or
// cannot fit.
#pragma once
#include "plan/search/judged.h"
#include "plan/space/space.h"

namespace mtfc::plan {

struct Limits {
  double memory = 0;   // bytes of one processor
  double seconds = 0;  // of search
  bool any = false;    // the first layout that fits will do
};

/// The models of the space's micro-batches are asked for as they are needed.
Plan search(const Space& space, const Models& models, const SourceMap& sources,
            const predict::Machine& machine, const Limits& limits);

}  // namespace mtfc::plan
