// What a run of a plan's best layout holds outside of its steps, which a search does not count.
#pragma once
#include <optional>
#include <string>

#include "cost/cost.h"
#include "plan/search/search.h"

namespace mtfc::cli {

/// The most that it holds. Nothing if that is in a step.
std::optional<cost::MostMemory> beside_step(const plan::Judged& best, const plan::Models& models,
                                            const SourceMap& sources, const Layout& given);

/// A sentence, or two if that is more than `memory` bytes; empty if there is nothing.
std::string beside_step_text(const std::optional<cost::MostMemory>& most, double memory);
/// {"bytes": ..., "when": "in an evaluation"}, or null.
std::string beside_step_json(const std::optional<cost::MostMemory>& most);

}  // namespace mtfc::cli
