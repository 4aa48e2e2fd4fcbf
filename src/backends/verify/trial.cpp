#include "backends/verify/trial.h"

#include <algorithm>

#include "comm/gather_bytes.h"

namespace mtfc::backends {

runtime::Result<std::vector<Difference>> run_trial(runtime::Engine& split, runtime::Engine& whole,
                                                   const runtime::TrainPlan& plan,
                                                   const Phases& phases, double unit) {
  const bool f64 = unit == 0x1p-53;
  std::vector<Difference> all;
  Variables variables;
  for (std::size_t i = 0; i < phases.count(); ++i) {
    runtime::Result<Phase> phase = phases.at(i);
    // A rank that cannot go on must be known to the others before they wait for it.
    const runtime::Status fed = phase ? runtime::Status() : runtime::Status(phase.error());
    if (runtime::Status agreed = runtime::net::agreed(split.network(), fed); !agreed)
      return agreed.error();
    Expected expected{f64 ? in_f64(std::move(*phase)) : std::move(*phase), variables, {}};
    runtime::Result<Outcome> right = run_phase(whole, plan, expected.phase);
    runtime::Result<Outcome> made = run_phase(split, plan, expected.phase);
    if (!right) return right.error();
    if (!made) return made.error();
    expected.outcome = std::move(*right);
    std::vector<Difference> differences = compare(expected, *made, unit);
    // In 16 bits a disturbance would be no small one.
    const bool doubt =
        unit <= 0x1p-24 && std::any_of(differences.begin(), differences.end(),
                                       [](const Difference& d) { return d.exceeds(); });
    if (split.any(doubt)) {
      if (runtime::Status done = disturb(whole, plan, unit, expected); !done) return done.error();
      differences = compare(expected, *made, unit);
    }
    merge(all, differences);
    variables = std::move(expected.outcome.variables);
    set_variables(split, variables);
  }
  return all;
}

}  // namespace mtfc::backends
