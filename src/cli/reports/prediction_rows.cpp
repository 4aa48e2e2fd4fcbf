#include "cli/reports/prediction_rows.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/options/usage.h"
#include "lowering/graph/index_inputs.h"
#include "messages/wrap.h"
#include "support/figures.h"

namespace mtfc::cli {
namespace {

/// What a step reads of the data: 0 where the inputs do not say.
struct Batch {
  std::int64_t examples = 0, tokens = 0;
};

/// The first dimension of all inputs, if they have one in common; of the first input of indices
/// with further dimensions each element is a token.
Batch batch_of(const Model& model) {
  Batch batch;
  const std::vector<lowering::IndexInput> indices = lowering::find_index_inputs(model);
  const auto is_index = [&](const Input& input) {
    return std::any_of(indices.begin(), indices.end(), [&](const lowering::IndexInput& index) {
      return index.input == input.name;
    });
  };
  for (const Input& input : model.inputs) {
    if (input.type.dims.empty() || input.type.dims[0] != model.inputs[0].type.dims[0]) return {};
    batch.examples = model.dims.size(input.type.dims[0]);
    if (batch.tokens == 0 && input.type.dims.size() > 1 && is_index(input))
      batch.tokens = elements(model.dims, input.type.dims);
  }
  return batch;
}

/// 0 where they are not known.
struct Rates {
  double examples = 0, tokens = 0;  // a second
  double run = 0;                   // seconds
};

Rates rates_of(const Model& model, double step) {
  if (step <= 0) return {};
  const Batch batch = batch_of(model);
  return {static_cast<double>(batch.examples) / step, static_cast<double>(batch.tokens) / step,
          step * static_cast<double>(model.settings.steps)};
}

}  // namespace

std::string prediction_heading(const PredictedStep& step) {
  return "\n" +
         wrapped("predicted on " + step.hardware + ": " + step.mapping, {0, 2, output_columns()}) +
         "\n\n";
}

std::string prediction_row(const std::string& what, const std::string& value,
                           const std::string& more) {
  return fmt::format("  {:<24} {:>16}{}\n", what, value, more.empty() ? "" : "  " + more);
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string memory_row(const std::string& what, const PredictedStep& step) {
  const auto needed = static_cast<double>(step.memory.bytes), there = step.memory_of_chip;
  const std::string of = scaled(there, "B");
  const std::string row =
      prediction_row(what, scaled(needed, "B"),
                     step.fits() ? "fits: " + percent(needed / there) + " of " + of
                                 : "does not fit: " + scaled(needed - there, "B") + " over " + of);
  return step.memory.when.empty() ? row : row + "    " + step.memory.when + "\n";
}

std::string rate_rows(const PredictedStep& step, const Model& model) {
  const Rates rates = rates_of(model, step.seconds);
  std::string text;
  if (rates.examples > 0) text += prediction_row("examples", scaled(rates.examples, "/s"));
  if (rates.tokens > 0) text += prediction_row("tokens", scaled(rates.tokens, "/s"));
  if (rates.run > 0)
    text += prediction_row("whole run", duration(rates.run),
                           with_commas(model.settings.steps) + " steps");
  return text;
}

JsonFields prediction_json(const PredictedStep& step, const Model& model) {
  JsonFields fields = {
      {"hardware", json(step.hardware)},    {"mapping", json(step.mapping)},
      {"step_seconds", json(step.seconds)}, {"mfu", json(step.mfu)},
      {"fits", json(step.fits())},          {"memory_of_chip", json(step.memory_of_chip)}};
  const Rates rates = rates_of(model, step.seconds);
  if (rates.examples > 0) fields.emplace_back("examples_per_second", json(rates.examples));
  if (rates.tokens > 0) fields.emplace_back("tokens_per_second", json(rates.tokens));
  if (rates.run > 0) fields.emplace_back("run_seconds", json(rates.run));
  return fields;
}

}  // namespace mtfc::cli
