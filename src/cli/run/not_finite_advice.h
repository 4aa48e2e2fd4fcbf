// What to do about the operation in which values that are not finite begin.
#pragma once
#include <string>

#include "backends/execute/not_finite_watch.h"

namespace mtfc::cli {

/// Of one that is not defined everywhere: what it was asked, and how that is avoided. Empty: of
/// others, and of updates, whose sizes depend on the learning rate.
std::string advice_on(const backends::NotFiniteBegin& begin);

}  // namespace mtfc::cli
