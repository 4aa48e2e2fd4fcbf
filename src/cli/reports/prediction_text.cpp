#include "cli/reports/prediction_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/reports/prediction_rows.h"
#include "support/figures.h"

namespace mtfc::cli {
namespace {

using predict::Prediction;

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

PredictedStep predicted_step(const Prediction& p, const Target& target) {
  return {target.machine.name,
          to_string(target.mesh, target.machine, target.mapping),
          p.step,
          p.mfu(),
          p.memory_needed,
          p.memory_there};
}

}  // namespace

std::string prediction_text(const Prediction& p, const Target& target, const Model& model) {
  const PredictedStep step = predicted_step(p, target);
  std::string text = prediction_heading(step);
  text += prediction_row("step", duration(p.step));
  const std::vector<Part> parts = parts_of(p);
  for (const Part& part : parts)
    if (part.seconds > 0)
      text += prediction_row(std::string("  ") + part.name, duration(part.seconds),
                             fmt::format("{:>6}", percent(part.seconds / p.step)));
  if (p.hidden > 0) text += prediction_row("communication, hidden", duration(p.hidden));
  text += prediction_row("bound by", largest(parts).name);
  text += prediction_row("MFU", percent(p.mfu()));
  text += prediction_row("HFU", percent(p.hfu()));
  text += rate_rows(step, model);
  return text + memory_row("memory", step);
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
  JsonFields fields = prediction_json(predicted_step(p, target), model);
  fields.emplace_back("seconds", json_object(seconds));
  fields.emplace_back("hfu", json(p.hfu()));
  return fields;
}

}  // namespace mtfc::cli
