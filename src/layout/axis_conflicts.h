// Iteration spaces: what may not have two dimensions on one mesh axis.
#pragma once
#include <functional>
#include <string>

#include "ir/layout.h"
#include "ir/model.h"
#include "layout/resolve.h"

namespace mtfc::lowering {

/// A tensor, or an operation with its index space.
struct Site {
  enum class Kind { variable, input, value, operation };
  Kind kind{};
  const Graph* graph = nullptr;  // of values and operations
  std::size_t index = 0;
};

/// Calls `found` for every clash of the model: parameters and states, then inputs, then values and
/// operations of the step, the evaluation and the initialisation, in order. Stops when it returns
/// false.
///
/// Gradients need no look of their own. The gradient of a product has the product's index space
/// (dx = sum of dy * w over the same indices), that of a gather is a scatter over the same indices,
/// that of a reduction is a broadcast back to the operand, that of a view is a view; gradients and
/// optimiser states have the dimensions of what they belong to. So does whatever an operation is
/// expanded into. The forward graphs are enough.
void for_each_clash(const Model& model, const Assignment& assignment,
                    const std::function<bool(const Site&, const Clash&)>& found);

/// Whether there is none.
bool is_legal(const Model& model, const Assignment& assignment);

/// Where a place's dimensions are best seen in the model; not valid if nowhere.
Span span_of(const Model& model, const Site& site);
const TensorType* type_of(const Model& model, const Site& site);
/// The tensor's path, or the text of the expression; empty if there is neither.
std::string name_of(const Model& model, const SourceMap& sources, const Site& site);

}  // namespace mtfc::lowering
