// Small helpers that the operation files share: shape rules, factors, gradients.
#pragma once
#include <string>

#include "ops/builder.h"
#include "ops/op.h"

namespace mtfc::ops {

using Type = Signature::Type;

Inferred fails(std::string why);
Inferred gives(TensorType type);
/// The type that attributes `dtype` and `dims` say.
Inferred declared_type(const Shapes& s);

/// By name, except that what `replicated` lists is not split, before and after.
Factors factors_but(const Operation& op, const Graph& graph, const DimList& replicated);

/// The first dimension of an attribute.
DimId dim_of(const Operation& op, std::string_view attribute);
/// The dimensions of all operands.
DimList operand_dims(const Operation& op, const Graph& graph);
/// Local form: one scalar operation on all operands; without one, the operand itself.
Map map_of(const Operation& op, const Graph& graph, std::optional<ScalarOp> scalar);
/// Local form: elements without operands. A leaf that has a number is number 0.
Map map_of_leaf(LeafKind kind, DType dtype, double value = 0);

/// f16 and bf16 as f32, in which sums and what is made of them are computed; others as they are.
ValueId wide(Builder& build, ValueId x);
DType wide(DType dtype);
/// The sum over dimensions, wide.
ValueId wide_sum(Builder& build, ValueId x, const DimList& over);
/// `grad` summed (or broadcast) to the dims of `like`, in its storage order and type.
ValueId sum_to(Builder& build, ValueId grad, ValueId like);
/// A constant of the same type as `like`, without dimensions.
ValueId scalar_like(Builder& build, double value, ValueId like);
/// a * b summed to the dims of `like`: an einsum if something is summed, else a product.
ValueId product_to(Builder& build, ValueId a, ValueId b, ValueId like);

// Rows of the operation table; table.cpp joins them.
#define MTFC_OPERATIONS(file) std::vector<OpDef> file##_rows();
#include "ops/ops.def"
#undef MTFC_OPERATIONS

}  // namespace mtfc::ops
