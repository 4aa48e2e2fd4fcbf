#include "backends/verify/phase.h"

#include <algorithm>

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

runtime::Result<Phase> Phases::at(std::size_t number) const {
  Phase phase;
  if (number == 0) return phase;
  const bool step = number <= steps.size();
  phase.kind = step ? Phase::Kind::step : Phase::Kind::evaluation;
  phase.feeds.resize(step ? 1 : 2);
  for (std::size_t i = 0; i < phase.feeds.size(); ++i) {
    const std::int64_t batch = i == 0 ? 0 : feeder.eval_batches() - 1;
    runtime::Status fed =
        step ? feeder.train(steps[number - 1], phase.feeds[i]) : feeder.eval(batch, phase.feeds[i]);
    if (!fed) return fed.error();
  }
  if (!step) pad_half(phase.feeds.back());
  return phase;
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

runtime::Result<Outcome> run_phase(runtime::Engine& engine, const runtime::TrainPlan& plan,
                                   const Phase& phase) {
  Outcome made;
  std::vector<runtime::Fetched> none;
  if (phase.kind == Phase::Kind::init) {
    fill_with_other_values(engine);
    if (runtime::Status done = runtime::initialise(engine, plan.initial); !done)
      return done.error();
  } else if (phase.kind == Phase::Kind::step) {
    runtime::StepRunner(plan.step).run(engine, phase.feeds[0], made.fetched);
  } else {
    for (int time = 0; time < 2; ++time) {
      made.fetched.clear();
      engine.run(program_names::eval_begin, {}, none);
      for (const runtime::Feeds& feeds : phase.feeds) engine.run(program_names::eval, feeds, none);
      engine.run(program_names::eval_finish, {}, made.fetched);
    }
  }
  made.variables = variables_of(engine);
  return made;
}

Phase in_f64(Phase phase) {
  for (runtime::Feeds& feeds : phase.feeds)
    for (auto& [name, tensor] : feeds)
      if (is_float(tensor.dtype)) tensor = runtime::converted(tensor, DType::f64);
  return phase;
}

}  // namespace mtfc::backends
