// Model, layout and settings to programs: each pass leaves behind what obeys the rules, the text of
// the programs reads back as the same, and they have a cost and a predicted time.
#include "cost/cost.h"
#include "fuzz/case.h"
#include "ir/text.h"
#include "lowering/state_text.h"
#include "predict/mapping.h"
#include "predict/predict.h"
#include "predict/read_machine.h"

namespace mtfc::fuzz {

namespace {

void read_back(const Module& module, const SourceMap& sources) {
  const std::string text = print(module);
  std::string error;
  const std::optional<Module> again = parse_module(text, error, &sources);
  require(again.has_value(), "printed programs are not read: " + error);
  require(print(*again) == text, "printed programs are read as others");
}

void predict_times(const Case& c, const cost::Cost& cost) {
  Diagnostics ignored;
  for (const Hardware& hardware : c.hardware) {
    if (hardware.preset) continue;
    const auto machine = predict::read_machine(hardware, c.assignment->mesh, ignored);
    if (!machine) continue;
    const auto mapping = predict::map_mesh(c.assignment->mesh, *machine);
    if (!mapping) continue;
    const predict::Prediction p = predict::predict(cost, *machine, *mapping);
    require(p.step >= 0, "a step takes less than no time");
  }
}

}  // namespace

void model(std::string_view input) {
  const Case c = check(sections_of(input));
  if (!c.assignment) return;
  const Module module = std::move(lower(c).made.module);
  read_back(module, c.sources);
  predict_times(c, cost::cost_of_step(module, c.sources));
}

}  // namespace mtfc::fuzz
