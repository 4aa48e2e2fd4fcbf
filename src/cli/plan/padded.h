// What padding would bring a plan whose space has none (without --pad): all processors sharing out
// a batch that they do not divide. Such a plan only says it.
#pragma once
#include <optional>
#include <string>

#include "plan/search/search.h"

namespace mtfc::cli {

/// The leading dimension of the inputs over all axes of the first mesh, with updates shared or not:
/// the faster one. Nothing if the space pads, if it is ruled already, if the axes divide it, if it
/// does not fit in `memory` bytes, or if it is not faster than the best of the plan. `quickly`:
/// from few iterations.
std::optional<plan::Judged> padded_batch(const plan::Plan& plan, const plan::Space& space,
                                         const DimTable& dims, const plan::Models& models,
                                         const SourceMap& sources, const predict::Machine& machine,
                                         double memory, bool quickly);
/// A line; empty if there is nothing.
std::string padded_text(const std::optional<plan::Judged>& padded);

}  // namespace mtfc::cli
