// Where climbs begin (plan/search/climb.h): sets of general rules of different kinds, of each those that
// seem to be the fastest (plan/price/estimates.h).
#pragma once
#include <functional>
#include <vector>

#include "plan/space/space.h"

namespace mtfc::plan {

/// Of each kind several, on different meshes.
using Starts = std::vector<std::vector<Choice>>;
/// About what a layout takes; less is better.
using WorthOf = std::function<double(const Choice&)>;

/// Bytes of variables of one processor, and how many it may hold: beyond, parameters are kept
/// split.
struct Holding {
  WorthOf bytes;
  double limit = 0;
};

/// By how many axes each dimension of an input has: of data parallelism, tensor parallelism and so
/// on. `bases`: general rules, those with fewer first.
Starts plain_starts(const Space& space, const std::vector<Choice>& bases, const WorthOf& worth,
                    const Holding& holding, const DimTable& dims);

/// Of pipelines the best numbers of stages and meshes. Each has enough micro-batches for stages to
/// wait little, or as many as there are examples.
Starts staged_starts(const Space& space, const std::vector<Choice>& bases, const WorthOf& worth,
                     const Holding& holding, const DimTable& dims);

}  // namespace mtfc::plan
