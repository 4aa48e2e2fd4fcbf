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
/// The largest x and x less that, in the type of x: what e may be raised to.
struct BelowMax {
  ValueId max, below;
};
BelowMax below_max(Builder& build, ValueId x, const DimList& over);
/// log of the sum of e^x, in two parts: the largest x, in its own type, and the rest of the
/// logarithm, wide. Added up, they lose the rest where x is large: for equal x of 1e7 it is all
/// that a loss says.
struct LogNormaliser : BelowMax {
  ValueId rest;
};
LogNormaliser log_normaliser(Builder& build, ValueId x, const DimList& over);
/// The sum of both parts.
ValueId whole(Builder& build, const LogNormaliser& normaliser);
/// The largest x less x, wide: 0 or more. With `rest` it is minus the logarithm of softmax(x). (The
/// forward pass has x - max: what is written otherwise is not kept for the backward pass, which has
/// x.)
ValueId to_max(Builder& build, ValueId x, const LogNormaliser& normaliser);
/// e to minus the sum of that and `rest`.
ValueId softmax_of(Builder& build, ValueId to_max, const LogNormaliser& normaliser);
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
