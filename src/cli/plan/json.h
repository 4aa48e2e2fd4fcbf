// A plan as JSON, with its proof: tests/tools/check_plan.py checks it.
#pragma once
#include <string>
#include <vector>

#include "plan/search/search.h"
#include "plan/search/sensitivity.h"
#include "plan/search/without.h"
#include "support/json.h"

namespace mtfc::cli {

/// `{mesh, rules, microbatches, step_seconds, memory, fits, whole}`
std::string judged_json(const plan::Judged& one);
/// {"bytes": ..., "when": "in an evaluation", "step_bytes": ...}, or null: the most is in a step.
std::string beside_step_json(const plan::Price& price);
/// What a proof depends on; null: on nothing, or there is none.
std::string trusted_to_json(const plan::Plan& plan);

JsonFields plan_json(const plan::Plan& plan, const plan::Space& space, const DimTable& dims,
                     double memory);
std::string without_json(const std::vector<plan::Without>& without);
std::string stability_json(const std::vector<plan::Stability>& stability,
                           const predict::Machine& machine);

}  // namespace mtfc::cli
