// The table of learning-rate schedules. Scalars in f64, functions of the step.
#pragma once
#include <string_view>
#include <vector>

#include "optim/form.h"
#include "optim/term.h"

namespace mtfc::optim {

/// What a schedule depends on: f64 scalars.
struct Clock {
  Term t;      // the step, from 0
  Term steps;  // of the whole run
};

struct Schedule {
  Form form;
  Term (*value)(const Clock& clock, const SettingCall& call);
};

/// In the order of the documentation.
const std::vector<Schedule>& schedules();
/// Null if there is none so named.
const Schedule* find_schedule(std::string_view name);

/// A schedule's call, or a number, at the clock's step.
Term rate_at(const Clock& clock, const SettingCall::Value& rate);

/// The learning rate at the current step, an f64 scalar of the graph. `steps` is 0 where it is
/// known at run time only (`epochs`).
ValueId learning_rate(ops::Builder& build, const SettingCall::Value& rate, std::int64_t steps);

/// Whether it depends on how many steps the run has, as `cosine` does.
bool follows_length(const SettingCall::Value& rate);

}  // namespace mtfc::optim
