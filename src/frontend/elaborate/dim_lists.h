// Dimensions by name, lists of them, and their sizes.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "frontend/elaborate/context.h"

namespace mtfc::elab {

/// Operands whose dimensions a misspelled name may mean.
using Operands = std::vector<Operand>;

/// The dimensions that a name stands for: several of a block's formal list. Absent: reported.
std::optional<Dims> dims_named(Context& cx, const ast::Name& name, const Operands& near = {});
std::optional<DimId> dim_named(Context& cx, const ast::Name& name, const Operands& near = {});
/// All dimensions of a list; none twice.
std::optional<Dims> dim_list(Context& cx, const ast::DimList& list, const Operands& near = {});
/// The dimensions of a declared tensor; `of` is its name.
std::optional<Dims> declared_shape(Context& cx, const ast::DimList& list, const std::string& of);
/// Whether a tensor of these dimensions has less than 2^53 elements (bytes of some hundred
/// such tensors can be counted); reported if not.
bool check_size(Context& cx, const Dims& dims, Span span);

/// Gives a dimension its size, `val`; `from`: it comes from the command line.
void settle_dim(Context& cx, const std::string& name, Binding& binding, Scope& home, const Val& val,
                Span size_span, const Override* from);

}  // namespace mtfc::elab
