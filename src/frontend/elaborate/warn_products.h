// Warnings about models that are legal, train, and compute something else than was meant.
#pragma once
#include "frontend/elaborate/arguments.h"

namespace mtfc::elab {

/// A softmax (or cross entropy) of `x` over dimensions along which all its values are the same, or
/// the same where a mask lets them be: mostly keys that were used without their rename.
void warn_same_values(Context& cx, const CallSite& site, ValueId x);
/// An einsum that sums what one operand alone has, and multiplies what all have element by element.
void warn_private_sum(Context& cx, const CallSite& site, const std::vector<ValueId>& ids,
                      const Dims& rest);

}  // namespace mtfc::elab
