// Padding at the end of dimensions, as operations of a graph: what the passes that pad share.
#pragma once
#include <map>
#include <optional>

#include "ops/builder.h"
#include "ops/factors.h"
#include "support/combine.h"

namespace mtfc::lowering {

/// Dimensions and what stands for them, with padding at the end (Dim::pads).
using PaddedDims = std::map<DimId, DimId>;

/// The dimension as it is with padding, `size` long.
Dim padded_dim(const DimTable& dims, DimId dim, std::int64_t size);
/// Padded dimensions in the place of those that they stand for.
DimList padded_dims(DimList dims, const PaddedDims& to);

/// What is to stand in the padding of an operand (by number) along a factor's dimension, so that
/// the operation leaves it out. Absent: no matter what, or it needs the operand without padding.
std::optional<double> value_in_padding(const Operation& op, const ops::Factors& factors,
                                       const ops::Factor& factor, std::size_t operand);

/// What changes nothing where elements are combined.
double neutral(Combine combine);
/// bool[padded]: false in the padding.
ValueId inside(ops::Builder& build, DimId padded);
/// x with a value where `inside` is false; in a type that lacks the value the nearest that it has,
/// the least for not a number.
ValueId filled(ops::Builder& build, ValueId x, ValueId inside, double value);

}  // namespace mtfc::lowering
