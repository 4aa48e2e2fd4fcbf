// The names of values: their paths, as dumps, layouts and reports show them.
#pragma once
#include <string>

#include "frontend/elaborate/context.h"

namespace mtfc::elab {

/// The last value recorded for a path gets it. A weak name (a carried one, by its iteration) gives
/// way to any other name of the same value.
void record_name(Context& cx, const std::string& path, ValueId id, bool weak);
/// At the end. Two names of one value (`y = x`): the second one gets a copy, used by nothing else.
void give_names(Context& cx);

}  // namespace mtfc::elab
