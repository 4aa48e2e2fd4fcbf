#include "cli/prediction_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/usage.h"
#include "support/figures.h"
#include "support/wrap.h"

namespace mtfc::cli {
namespace {

using predict::Prediction;

/// What a step reads of the data: 0 where the inputs do not say.
struct Batch {
  std::int64_t examples = 0, tokens = 0;
};

/// The first dimension of all inputs, if they have one in common; of the first input of whole
/// numbers with further dimensions each element is a token.
Batch batch_of(const Model& model) {
  Batch batch;
  for (const Input& input : model.inputs) {
    if (input.type.dims.empty() || input.type.dims[0] != model.inputs[0].type.dims[0]) return {};
    batch.examples = model.dims.size(input.type.dims[0]);
    if (batch.tokens == 0 && input.type.dtype == DType::i32 && input.type.dims.size() > 1)
      batch.tokens = elements(model.dims, input.type.dims);
  }
  return batch;
}

struct Part {
  const char* name;  // for people
  const char* key;   // in JSON
  double seconds;
};

/// What a step's seconds consist of.
std::vector<Part> parts_of(const Prediction& p) {
  return {{"products", "products", p.products},
          {"other computation", "other", p.others},
          {"memory traffic", "memory_bound", p.memory},
          {"kernel launches", "launches", p.launches},
          {"communication, exposed", "communication_exposed", p.exposed}};
}

const Part& largest(const std::vector<Part>& parts) {
  return *std::max_element(parts.begin(), parts.end(),
                           [](const Part& a, const Part& b) { return a.seconds < b.seconds; });
}

std::string row(const std::string& what, const std::string& value, const std::string& more = "") {
  return fmt::format("  {:<24} {:>16}{}\n", what, value, more.empty() ? "" : "  " + more);
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string memory_text(const Prediction& p) {
  const std::string there = scaled(p.memory_there, "B");
  if (p.fits()) return "fits: " + percent(p.memory_needed / p.memory_there) + " of " + there;
  return "does not fit: " + scaled(p.memory_needed - p.memory_there, "B") + " more than " + there;
}

}  // namespace

std::string prediction_text(const Prediction& p, const Target& target, const Model& model) {
  const Mesh& mesh = target.mesh;
  const std::string where = "predicted on " + target.machine.name + ": " +
                            to_string(mesh, target.machine, target.mapping);
  std::string text = "\n" + wrapped(where, {0, 2, output_columns()}) + "\n\n";
  text += row("step", duration(p.step));
  const std::vector<Part> parts = parts_of(p);
  for (const Part& part : parts)
    if (part.seconds > 0)
      text += row(std::string("  ") + part.name, duration(part.seconds),
                  fmt::format("{:>6}", percent(part.seconds / p.step)));
  if (p.hidden > 0) text += row("communication, hidden", duration(p.hidden));
  text += row("bound by", largest(parts).name);
  text += row("MFU", percent(p.mfu()));
  text += row("HFU", percent(p.hfu()));
  const Batch batch = batch_of(model);
  if (batch.examples > 0 && p.step > 0)
    text += row("examples", scaled(static_cast<double>(batch.examples) / p.step, "/s"));
  if (batch.tokens > 0 && p.step > 0)
    text += row("tokens", scaled(static_cast<double>(batch.tokens) / p.step, "/s"));
  if (model.settings.steps > 0)
    text += row("whole run", duration(p.step * static_cast<double>(model.settings.steps)),
                with_commas(model.settings.steps) + " steps");
  text += row("memory", scaled(p.memory_needed, "B"), memory_text(p));
  return text;
}

std::vector<JsonFields> carried_json(const Prediction& prediction) {
  std::vector<JsonFields> all;
  for (const Prediction::Carried& one : prediction.collectives)
    all.push_back({{"seconds", json(one.seconds)}, {"seconds_exposed", json(one.exposed)}});
  return all;
}

JsonFields prediction_json(const Prediction& p, const Target& target, const Model& model) {
  JsonFields seconds;
  for (const Part& part : parts_of(p)) seconds.emplace_back(part.key, json(part.seconds));
  seconds.emplace_back("communication_hidden", json(p.hidden));
  JsonFields fields = {{"hardware", json(target.machine.name)},
                       {"mapping", json(to_string(target.mesh, target.machine, target.mapping))},
                       {"step_seconds", json(p.step)},
                       {"seconds", json_object(seconds)},
                       {"mfu", json(p.mfu())},
                       {"hfu", json(p.hfu())},
                       {"fits", json(p.fits())},
                       {"memory_of_chip", json(p.memory_there)}};
  const Batch batch = batch_of(model);
  if (batch.examples > 0 && p.step > 0)
    fields.emplace_back("examples_per_second", json(static_cast<double>(batch.examples) / p.step));
  if (batch.tokens > 0 && p.step > 0)
    fields.emplace_back("tokens_per_second", json(static_cast<double>(batch.tokens) / p.step));
  if (model.settings.steps > 0)
    fields.emplace_back("run_seconds", json(p.step * static_cast<double>(model.settings.steps)));
  return fields;
}

}  // namespace mtfc::cli
