// What a step trains.
#pragma once
#include <cstddef>

#include "ir/graph.h"

namespace mtfc::lowering {

/// A parameter that a gradient reaches; values of the graph that ends the step.
struct Trained {
  std::size_t variable = 0;  // index into Model::variables
  ValueId before;            // the parameter's value before the step
  ValueId differentiated;    // as differentiation gives it: the gradient of the scaled loss
  ValueId gradient;          // of the loss itself
};

}  // namespace mtfc::lowering
