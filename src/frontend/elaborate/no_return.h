// A block that comes to its end without a `return`.
#pragma once
#include "frontend/elaborate/blocks.h"

namespace mtfc::elab {

/// Conditions decide whether a `return` is reached, and these come from arguments that are known:
/// says what they are, and which words the block compares them with.
void report_no_return(Context& cx, const Frame& frame, const CallSite& site);

}  // namespace mtfc::elab
