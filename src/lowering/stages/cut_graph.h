// A graph as the parts that the stages of a pipeline compute.
#pragma once
#include <vector>

#include "ir/model.h"
#include "lowering/stages/slots.h"

namespace mtfc::lowering {

struct CutGraph {
  struct Part {
    StagePart part;
    Graph graph;
  };
  std::vector<Part> parts;          // in an order in which they can run
  std::vector<Crossing> crossings;  // of these parts
  std::vector<Variable> variables;  // theirs
};

/// What leaves the graph leaves the part that makes it; variables are written by the last part of
/// the stage that they live in, since the others may read them. `homes` learns of those that it
/// does not know: they live where their value is made.
CutGraph cut_graph(const Graph& graph, const SlotPlan& plan, const DimTable& dims, Homes& homes);

/// What holds a value that one part makes and others use.
Variable crossing_variable(std::string path, TensorType type);

}  // namespace mtfc::lowering
