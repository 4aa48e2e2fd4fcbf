// Small helpers that the operation files share: shape rules, factors, gradients.
#pragma once
#include <string>

#include "ops/builder.h"
#include "ops/op.h"

namespace mtfc::ops {

Inferred fails(std::string why);
Inferred gives(TensorType type);

/// A row of the table with factors by name; the rest is set by the caller.
OpDef op_row(std::string_view name, std::string_view summary);

/// Factors by name: a dimension in some operand and the result is parallel, in operands only
/// reduced, in the result only created.
Factors factors_by_name(const Operation& op, const Graph& graph);

/// f16 and bf16 as f32, in which sums and what is made of them are computed; others as they are.
ValueId wide(Builder& build, ValueId x);
DType wide(DType dtype);
/// `grad` summed (or broadcast) to the dims of `like`, in its storage order and type.
ValueId sum_to(Builder& build, ValueId grad, ValueId like);
/// A constant of the same type as `like`, without dimensions.
ValueId scalar_like(Builder& build, double value, ValueId like);
/// a * b summed to the dims of `like`: an einsum if something is summed, else a product.
ValueId product_to(Builder& build, ValueId a, ValueId b, ValueId like);

/// A mean (operation `mean`) as numerator and denominator: weighted, both are sums; else the
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

/// Rows of the operation table, one list per file; table.cpp joins them.
std::vector<OpDef> source_ops();
std::vector<OpDef> elementwise_ops();
std::vector<OpDef> activation_ops();
std::vector<OpDef> product_ops();
std::vector<OpDef> reduction_ops();
std::vector<OpDef> softmax_ops();
std::vector<OpDef> view_ops();
std::vector<OpDef> gather_ops();
std::vector<OpDef> window_ops();
std::vector<OpDef> range_ops();
std::vector<OpDef> orthogonal_ops();

}  // namespace mtfc::ops
