// What a layout wants computed again for the backward pass (`set recompute=full`).
#pragma once
#include <optional>
#include <vector>

#include "ir/layout.h"
#include "ir/model.h"

namespace mtfc::lowering {

/// By value: whether it is made of variables alone.
std::vector<bool> made_of_variables(const Graph& graph);

/// Before differentiation: every operation of an iteration of a `repeat` gets a tag of that
/// iteration, as if its lines stood in `recompute { }`. What is left without: what the model tags
/// itself, and, if `options.recompute_selective`, products of examples with parameters, whose
/// results (or the sums that they end in) are kept then; what lies between them, such as the scores
/// of attention, is computed again (Korthikanti et al., arXiv 2205.05198, section 5). Of each
/// `repeat` only the first `options.recompute_iterations`, if that is not 0; with a pipeline, of
/// each of its virtual stages.
void mark_recompute(Model& model, const LoweringOptions& options,
                    const std::optional<Stages>& stages);

}  // namespace mtfc::lowering
