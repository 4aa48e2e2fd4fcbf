// `generate`: the programs that it needs, derived from the model's evaluation (docs/generation.md).
#pragma once
#include "ir/layout.h"
#include "lowering/graph/generation/positions.h"
#include "lowering/state/request.h"
#include "messages/diagnostic.h"

namespace mtfc::lowering {

/// Why the model has no incremental program; absent if it has one. The model must have
/// `generation`.
std::optional<Obstacle> find_obstacle(const Model& model);

/// Reports the obstacle, if the model generates and there is one (W330). True if there is none.
bool check_generation(const Model& model, Diagnostics& diagnostics);

/// Sizes of windows that the layout divides: 64, 128 ... and the dimension's own size.
std::vector<std::int64_t> generation_windows(const Model& model, const Assignment& assignment);

/// The programs generate_fixed (if there is something fixed), prefill_W, step_W, grow_W, reorder_W
/// for each window W; the model gets their dimensions and variables, the assignment the splits of
/// these dimensions.
std::vector<Graph> derive_generation(Model& model, Assignment& assignment,
                                     const GenerationRequest& request);

}  // namespace mtfc::lowering
