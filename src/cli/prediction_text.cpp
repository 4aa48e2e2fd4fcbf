#include "cli/prediction_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/prediction_rows.h"
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

}  // namespace

std::string prediction_text(const Prediction& p, const Target& target, const Model& model) {
  std::string text = prediction_heading(target.machine.name,
                                        to_string(target.mesh, target.machine, target.mapping));
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
  text += rate_rows(model, p.step);
  return text + memory_row("memory", p.memory_needed, p.memory_there);
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
  append(fields, rate_json(model, p.step));
  return fields;
}

}  // namespace mtfc::cli
