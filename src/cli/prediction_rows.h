// What predictions of one mesh and of pipelines have in common, for people and as JSON.
#pragma once
#include <string>
#include <vector>

#include "ir/model.h"
#include "support/json.h"

namespace mtfc::cli {

/// "predicted on H100: ...", above the rows.
std::string prediction_heading(const std::string& machine, const std::string& mapping);
std::string prediction_row(const std::string& what, const std::string& value,
                           const std::string& more = "");
std::string percent(double share);
/// A row of what is needed of the memory of a chip.
std::string memory_row(const std::string& what, double needed, double there);

/// What a step of so many seconds means: examples and tokens a second, and the seconds of the whole
/// run, where inputs and settings say it.
std::string rate_rows(const Model& model, double step);
JsonFields rate_json(const Model& model, double step);

}  // namespace mtfc::cli
