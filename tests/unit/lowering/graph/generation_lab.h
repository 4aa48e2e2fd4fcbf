// Generation on the simulated mesh, beside the model's own evaluation.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "ir/layout.h"
#include "ir/module.h"
#include "lowering/graph/generation/derive_generation.h"
#include "train/generate/generate.h"

namespace mtfc::test {

Model generation_model(const std::string& text,
                       const std::vector<std::pair<std::string, std::string>>& defines = {});
std::string shipped_model(const std::string& name);
/// Rules as {"batch", "rows"}.
Assignment place(const Model& model, Mesh mesh, const std::map<std::string, std::string>& rules);
/// Verified.
Module generation_module(const Model& model, const Assignment& assignment,
                         const lowering::GenerationRequest& request);
runtime::GenerationPlan plan_of(const Model& model, const Module& module,
                                const lowering::GenerationRequest& request);

/// The largest difference between the logits of steps and those of the whole model, over all rows
/// and positions, as a share of the largest logit; the ids and other int inputs are drawn.
double difference(const Model& model, const Assignment& assignment,
                  const std::vector<std::int64_t>& windows);

/// Cross attention, a padded source, targets shifted right.
std::string encoder_decoder();

}  // namespace mtfc::test
