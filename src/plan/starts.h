// Where climbs begin (plan/climb.h): sets of general rules of different kinds, of each those that
// compute the least.
#pragma once
#include <functional>
#include <vector>

#include "plan/space.h"
#include "predict/machine.h"

namespace mtfc::plan {

/// Of each kind several, on different meshes.
using Starts = std::vector<std::vector<Choice>>;
/// The least that a set of general rules takes.
using BoundOf = std::function<double(const Choice&)>;

/// By how many axes each dimension of an input has: of data parallelism, tensor parallelism and so
/// on. `bases`: general rules, those with fewer first.
Starts plain_starts(const Space& space, const std::vector<Choice>& bases, const BoundOf& bound);

/// Of pipelines also by how many other dimensions have rules. Meshes of two axes or more are those
/// alone whose inner axis fills a node of the machine, or half of a smaller stage. Each has enough
/// micro-batches for stages to wait little, or as many as there are examples.
Starts staged_starts(const Space& space, const std::vector<Choice>& bases, const BoundOf& bound,
                     const predict::Machine& machine, const DimTable& dims);

}  // namespace mtfc::plan
