// Warnings about windows whose outputs are too many or too few.
#pragma once
#include "frontend/elaborate/context.h"

namespace mtfc::elab {

/// A window of `dim` whose last outputs read nothing but what is outside, or whose outputs do not
/// reach its end.
void warn_outside(Context& cx, DimId dim, const Affine& sites, Span span);

}  // namespace mtfc::elab
