// Loss scaling: which numbers, and how a dynamic scale goes on (docs/precision.md).
#pragma once
#include "optim/form.h"
#include "optim/term.h"

namespace mtfc::optim {

inline constexpr double largest_scale = 16777216;  // 2^24
inline constexpr Range scale_range{1, largest_scale, true, true};

/// dynamic(init, growth)
const Form& dynamic_scale();
LossScale scale_of(const SettingCall& dynamic);

/// The scale, and how many steps in a row were good: scalars, f32 and int.
struct Scale {
  Term value, good;
};
/// After a step; `fine` is a bool scalar: all gradients were finite.
Scale next(Scale now, Term fine, std::int64_t growth);

}  // namespace mtfc::optim
