// What operations on a whole batch are on one micro-batch, and which of them cannot be.
#pragma once
#include "ir/model.h"

namespace mtfc::lowering {

/// What else to do where something has no meaning on a micro-batch.
inline constexpr const char* without_microbatches =
    "leave out `microbatches`; a layout can split the batch over processors instead";

/// The alias of a dimension of examples: with as many positions as one of `count` parts has.
DimId add_alias(DimTable& dims, DimId batch, std::int64_t count);

/// With aliases in place of the dimensions of examples.
DimList on_microbatch(DimList dims, const Microbatch& micro);
Attrs on_microbatch(const Attrs& attrs, const Microbatch& micro);

/// A dimension of examples along which the operation of the graph needs indices in the whole batch,
/// static or computed from data; not valid: there is none.
DimId needs_whole_batch(const Operation& op, const Graph& graph, const Microbatch& micro);

/// Composites that work along a dimension of examples show what they do there once expanded; means
/// and what combines are known as they are. What is relative to a maximum is not a sum over parts
/// that have maxima of their own.
bool is_composite_along_examples(const Operation& op, const Microbatch& micro);

}  // namespace mtfc::lowering
