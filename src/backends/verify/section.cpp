#include "backends/verify/section.h"

#include <algorithm>

#include "comm/gather_bytes.h"
#include "support/program_names.h"
#include "train/loop/initialise.h"
#include "train/loop/step.h"

namespace mtfc::backends {
namespace {

/// Fewer examples of the batch are real.
void pad_half(runtime::Feeds& feeds) {
  const auto found = feeds.find(feed_names::examples);
  if (found == feeds.end()) return;
  std::int32_t& examples = *found->second.as<std::int32_t>();
  examples = (examples + 1) / 2;
}

/// Whatever "init" does not write is found.
void fill_with_other_values(runtime::Engine& engine) {
  for (const runtime::VariableInfo& info : engine.variables()) {
    runtime::HostTensor value = runtime::HostTensor::zeros(info.dtype, info.extents);
    for (std::int64_t i = 0; i < value.elements(); ++i) runtime::set_element(value, i, 0.7);
    engine.set_variable(info.path, value);
  }
}

/// Accumulators and caches begin anew in every step.
bool stays(const runtime::VariableInfo& info) {
  return info.kind == "parameter" || info.kind == "state" || info.kind == "optimizer";
}

}  // namespace

std::vector<std::int64_t> compared_steps(std::int64_t count, std::int64_t all) {
  std::vector<std::int64_t> steps;
  for (std::int64_t step = 0; step < count; ++step) steps.push_back(step);
  if (const std::int64_t late = all * 2 / 3; late >= count) steps.push_back(late);
  return steps;
}

runtime::Result<Section> Sections::at(std::size_t number) const {
  Section section;
  if (number == 0) return section;
  const bool step = number <= steps.size();
  section.kind = step ? Section::Kind::step : Section::Kind::evaluation;
  section.feeds.resize(step ? 1 : 2);
  for (std::size_t i = 0; i < section.feeds.size(); ++i) {
    const std::int64_t batch = i == 0 ? 0 : feeder.eval_batches() - 1;
    runtime::Status fed = step ? feeder.train(steps[number - 1], section.feeds[i])
                               : feeder.eval(batch, section.feeds[i]);
    if (!fed) return fed.error();
  }
  if (!step) pad_half(section.feeds.back());
  return section;
}

Variables variables_of(runtime::Engine& engine) {
  Variables all;
  for (const runtime::VariableInfo& info : engine.variables())
    if (stays(info)) all.emplace_back(info.path, engine.variable(info.path));
  return all;
}

void set_variables(runtime::Engine& engine, const Variables& variables) {
  for (const runtime::VariableInfo& info : engine.variables()) {
    const auto found = std::find_if(variables.begin(), variables.end(),
                                    [&](const auto& v) { return v.first == info.path; });
    if (found != variables.end()) engine.set_variable(info.path, found->second);
  }
}

runtime::Result<Outcome> run_section(runtime::Engine& engine, const runtime::TrainPlan& plan,
                                     const Section& section) {
  Outcome made;
  std::vector<runtime::Fetched> none;
  if (section.kind == Section::Kind::init) {
    fill_with_other_values(engine);
    // A rank that cannot go on must be known to the others before they wait for it.
    const runtime::Status initialised = runtime::initialise(engine, plan.initial);
    if (runtime::Status agreed = runtime::net::agreed(engine.network(), initialised); !agreed)
      return agreed.error();
  } else if (section.kind == Section::Kind::step) {
    runtime::StepRunner(plan.step).run(engine, section.feeds[0], made.fetched);
  } else {
    for (int time = 0; time < 2; ++time) {
      made.fetched.clear();
      engine.run(program_names::eval_begin, {}, none);
      for (const runtime::Feeds& feeds : section.feeds)
        engine.run(program_names::eval, feeds, none);
      engine.run(program_names::eval_finish, section.feeds.back(), made.fetched);
    }
  }
  made.variables = variables_of(engine);
  return made;
}

Section in_f64(Section section) {
  for (runtime::Feeds& feeds : section.feeds)
    for (auto& [name, tensor] : feeds)
      if (is_float(tensor.dtype)) tensor = runtime::converted(tensor, DType::f64);
  return section;
}

}  // namespace mtfc::backends
