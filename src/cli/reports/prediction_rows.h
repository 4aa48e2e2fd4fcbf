// What predictions of one mesh and of pipelines have in common, for people and as JSON.
#pragma once
#include <string>
#include <vector>

#include "cost/cost.h"
#include "ir/model.h"
#include "support/json.h"

namespace mtfc::cli {

struct PredictedStep {
  std::string hardware, mapping;
  double seconds, mfu;
  cost::MostMemory memory;  // needed
  double memory_of_chip;    // bytes

  bool fits() const { return static_cast<double>(memory.bytes) <= memory_of_chip; }
};

/// "predicted on H100: ...", above the rows.
std::string prediction_heading(const PredictedStep& step);
std::string prediction_row(const std::string& what, const std::string& value,
                           const std::string& more = "");
std::string percent(double share);
/// A row of what is needed of the memory of a chip.
std::string memory_row(const std::string& what, const PredictedStep& step);
/// What the step means: examples and tokens a second, and the seconds of the whole run, where
/// inputs and settings say it.
std::string rate_rows(const PredictedStep& step, const Model& model);

/// All of it.
JsonFields prediction_json(const PredictedStep& step, const Model& model);

}  // namespace mtfc::cli
