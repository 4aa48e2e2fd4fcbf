// Collectives under the rules that cause them, for people.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "cost/cost.h"
#include "predict/predict.h"

namespace mtfc::cli {

/// Rows with their causes, each cause once with its rows below it, in the order of the first ones.
std::string under_rules(const std::vector<std::pair<std::string, std::string>>& rows);

/// "all_gather data, forward  models/gpt.mtf:14" in `width` columns.
std::string collective_name(const cost::CollectiveCost& collective, std::size_t width);

/// What a step communicates, with times if they are predicted (null: not).
std::string traffic_text(const std::vector<cost::CollectiveCost>& collectives,
                         const predict::Prediction* prediction);

}  // namespace mtfc::cli
