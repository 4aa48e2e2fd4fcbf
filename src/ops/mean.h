// Means over named dimensions, weighted or not.
#pragma once
#include "ops/builder.h"

namespace mtfc::ops {

bool is_mean(const Operation& op);
/// Whether it is over everything: one number, which evaluations pool (docs/language.md, Losses,
/// means, metrics).
bool is_whole_mean(const Graph& graph, const Operation& op);

/// A mean as numerator and denominator, of 16 bits in f32: weighted, both are sums; else the
/// denominator is `count` and the numerator a sum. Evaluations add both up over batches.
struct MeanParts {
  ValueId numerator;
  ValueId denominator;
  bool weighted = false;
  double count = 1;
};
MeanParts mean_parts(Builder& build, const Operation& op);
/// numerator / denominator, 0 where the denominator is 0, without NaN in the gradient.
ValueId safe_ratio(Builder& build, ValueId numerator, ValueId denominator);

}  // namespace mtfc::ops
