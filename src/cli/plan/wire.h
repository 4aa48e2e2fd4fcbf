// What sums of gradients in 16 bits would bring: a step of other numbers, so that a plan only says
// it.
#pragma once
#include <optional>
#include <string>

#include "plan/search/search.h"

namespace mtfc::cli {

/// The best layout with `set wire=bf16`. Nothing if the layout that was given has `wire`, if it
/// does not fit in `memory` bytes then, or if the step is not shorter in the digits that are
/// printed. `quickly`: in proportion, from few iterations.
std::optional<plan::Price> with_narrow_sums(const plan::Judged& best, const plan::Models& models,
                                            const SourceMap& sources,
                                            const predict::Machine& machine, const Layout& given,
                                            double memory, bool quickly);

/// A line; empty if there is nothing.
std::string narrow_sums_text(const std::optional<plan::Price>& price);
/// {"step_seconds": ..., "memory": ...}, or null.
std::string narrow_sums_json(const std::optional<plan::Price>& price);

}  // namespace mtfc::cli
