// What two engines are compared by: sections, each from the same variables with the same data.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "data/feeder.h"
#include "train/train_plan.h"

namespace mtfc::backends {

/// The first values, of variables that hold something else; one training step; two evaluations, the
/// second of which begins with what the first has added up.
struct Section {
  enum class Kind { init, step, evaluation };
  Kind kind = Kind::init;
  std::vector<runtime::Feeds> feeds;  // of the step; of each batch
};

/// By path: what stays from step to step.
using Variables = std::vector<std::pair<std::string, runtime::HostTensor>>;

struct Outcome {
  std::vector<runtime::Fetched> fetched;
  Variables variables;
};

/// The sections of a verification: the first values, some training steps, and an evaluation on the
/// first and the last batch if there are any, of the last as if half of it were padding. Made one
/// at a time, since data may be large.
struct Sections {
  runtime::Feeder& feeder;
  std::vector<std::int64_t> steps;  // their numbers
  bool evaluates = false;

  std::size_t count() const { return 1 + steps.size() + (evaluates ? 1 : 0); }
  /// Absent: the data cannot be read.
  runtime::Result<Section> at(std::size_t number) const;
};

/// The first `count` steps of a run of `all`, and one of its later ones: schedules have changed
/// what they do by then.
std::vector<std::int64_t> compared_steps(std::int64_t count, std::int64_t all);

/// Runs one section from where the engine is. Called by all ranks.
runtime::Result<Outcome> run_section(runtime::Engine& engine, const runtime::TrainPlan& plan,
                                     const Section& section);

Variables variables_of(runtime::Engine& engine);
/// Those that the engine has; it keeps the others.
void set_variables(runtime::Engine& engine, const Variables& variables);

/// The section and the variables as an engine that computes in f64 takes them.
Section in_f64(Section section);

}  // namespace mtfc::backends
