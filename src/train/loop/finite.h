// Values that are not finite: NaN or infinite.
#pragma once
#include <optional>
#include <string>

#include "train/engine.h"

namespace mtfc::runtime {

/// The first saved variable with such a value on any rank, as "state `avg` is not a number"; absent
/// if there is none. Called by all ranks, all of which get the same.
std::optional<std::string> find_not_finite(Engine& engine);

}  // namespace mtfc::runtime
