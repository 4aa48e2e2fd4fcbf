// Models from text, placed by rules and trained on a simulated mesh.
#pragma once
#include <map>
#include <string>

#include "backends/execute/simulator.h"
#include "ir/model.h"
#include "lowering/pipeline.h"
#include "messages/diagnostic.h"
#include "train/loop/train_loop.h"

namespace lowering_lab {

using namespace mtfc;

/// All texts, so that spans of any model can be looked up.
SourceMap& all_sources();

/// The model, which must be right.
Model model_of(const std::string& text);

/// What is said about a model that elaborates.
Diagnostics complaints_of(const std::string& text);

/// Rules by dimension: {"batch", "rows"}.
using Rules = std::map<std::string, std::string>;
Assignment place(const Model& model, Mesh mesh, const Rules& rules);

/// Everything that training leaves behind: variables by path, losses and dumped tensors of the last
/// step, evaluations' loss and metrics.
using Numbers = std::map<std::string, runtime::HostTensor>;
/// Trains with all replicas, which must agree, on what the model's sources draw. `dump`: else
/// without named tensors and gradients, which are stored for it.
Numbers train(const Model& model, const Assignment& assignment, bool dump = true);
/// The same for an assignment in stages, on ranks that are threads. Their numbers on rank 0.
Numbers train_on_ranks(const Model& model, const Assignment& assignment);
/// What the plan says that one step holds besides variables.
std::int64_t arena_bytes(const Model& model, const Assignment& assignment);

/// The largest difference, relative to the largest number of the same tensor. Both must have the
/// same tensors.
double difference(const Numbers& a, const Numbers& b);

}  // namespace lowering_lab
