#include "backends/verify/trial.h"

#include <algorithm>

#include "comm/gather_bytes.h"
#include "ir/in_f64.h"

namespace mtfc::backends {

runtime::Result<std::vector<Difference>> run_trial(const Side& split, const Side& whole,
                                                   const Sections& sections, double unit) {
  const bool f64 = unit == 0x1p-53;
  std::vector<Difference> all;
  Variables variables;
  for (std::size_t i = 0; i < sections.count(); ++i) {
    runtime::Result<Section> section = sections.at(i);
    // A rank that cannot go on must be known to the others before they wait for it.
    const runtime::Status fed = section ? runtime::Status() : runtime::Status(section.error());
    if (runtime::Status agreed = runtime::net::agreed(split.engine.network(), fed); !agreed)
      return agreed.error();
    Expected expected{f64 ? in_f64(std::move(*section)) : std::move(*section), variables, {}};
    runtime::Result<Outcome> right = run_section(whole.engine, whole.plan, expected.section);
    runtime::Result<Outcome> made = run_section(split.engine, split.plan, expected.section);
    if (!right) return right.error();
    if (!made) return made.error();
    expected.outcome = std::move(*right);
    std::vector<Difference> differences = compare(expected, *made, unit);
    // In 16 bits a disturbance would be no small one.
    const bool doubt = unit <= rounding_unit(DType::f32) &&
                       std::any_of(differences.begin(), differences.end(),
                                   [](const Difference& d) { return d.exceeds(); });
    if (split.engine.any(doubt)) {
      runtime::Status done = disturb(whole.engine, whole.plan, unit, expected);
      if (!done) return done.error();
      differences = compare(expected, *made, unit);
    }
    merge(all, differences);
    variables = std::move(expected.outcome.variables);
    set_variables(split.engine, variables);
  }
  return all;
}

}  // namespace mtfc::backends
