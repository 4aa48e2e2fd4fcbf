// When the operations of a graph run in a pipeline, and at which stage.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/layout.h"
#include "pipeline/pipeline_module.h"

namespace mtfc::lowering {

/// By the path of a variable: the virtual stage that it lives in.
using Homes = std::map<std::string, int>;

/// A time at which one stage runs.
struct Slot {
  int stage = 0;
  StagePart::Pass pass = StagePart::Pass::other;
  int level = 0;  // `other`: how often stages have waited for each other before
  int chunk = 0;  // of its stage, of a pass
};

struct SlotPlan {
  /// How an operation is had by those that use it.
  enum class Form {
    once,      // it runs in its slot; what others use of it crosses
    at_stage,  // made of variables of its stage alone, by work that is not worth keeping: it runs
               // again in each slot of that stage that uses it
    anywhere,  // made of nothing: it runs again wherever it is used
  };
  int stages = 1;
  std::vector<Slot> slots;  // in an order in which they can run
  std::vector<int> slot;    // by operation; its only one, or the first at its stage
  std::vector<Form> form;   // by operation

  int stage_of(int virtual_stage) const { return virtual_stage % stages; }
};

/// A variable lives in the first virtual stage that reads it. Those that have a home keep it.
void find_homes(const Graph& graph, const DimTable& dims, const Stages& stages, Homes& homes);

// Both want to know the homes of all variables that the graph reads.

/// Of a graph of forward and backward passes: the slots are the forward passes from the first
/// virtual stage to the last, then the backward passes from the last to the first.
SlotPlan slots_of_passes(const Graph& graph, const DimTable& dims, const Stages& stages,
                         const Homes& homes);

/// Of any other graph: an operation runs as soon as the results of other stages are there. The
/// slots are ordered by level, then by stage.
SlotPlan slots_by_level(const Graph& graph, const DimTable& dims, const Stages& stages,
                        const Homes& homes);

}  // namespace mtfc::lowering
