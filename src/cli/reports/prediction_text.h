// A prediction for people and as JSON.
#pragma once
#include <string>

#include "cli/session/target.h"
#include "ir/model.h"
#include "predict/predict.h"
#include "support/json.h"

namespace mtfc::cli {

/// Fields of each collective: `seconds`, `seconds_exposed`.
std::vector<JsonFields> carried_json(const predict::Prediction& prediction);

std::string prediction_text(const predict::Prediction& prediction, const Target& target,
                            const Model& model);
JsonFields prediction_json(const predict::Prediction& prediction, const Target& target,
                           const Model& model);

}  // namespace mtfc::cli
