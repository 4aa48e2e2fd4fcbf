// A warning about windows with a stride whose outputs are too many.
#pragma once
#include "frontend/elaborate/context.h"

namespace mtfc::elab {

/// A window of `dim` whose last outputs read nothing but what is outside.
void warn_outside(Context& cx, DimId dim, const Affine& sites, Span span);

}  // namespace mtfc::elab
