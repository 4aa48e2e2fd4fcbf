// Which dimensions carry examples: the leading ones of inputs, and what views make of them.
#pragma once
#include "ir/model.h"
#include "messages/diagnostic.h"

namespace mtfc::lowering {

/// The example dimensions of the training graph; `micro` is not set. Reports sizes that `count`
/// does not divide and views that mix examples in a way that no micro-batch can.
std::vector<ExampleDim> find_example_dims(const Model& model, std::int64_t count,
                                          Diagnostics& diagnostics);

}  // namespace mtfc::lowering
