#include "cli/plan/conflict.h"

#include "cli/plan/text.h"
#include "messages/wrap.h"
#include "support/figures.h"
#include "support/text.h"

namespace mtfc::cli {
namespace {

/// Doublings that are tried.
constexpr int most_doublings = 6;

}  // namespace

Conflict find_conflict(const std::string& memory, const std::string& mesh, const std::string& keep,
                       std::int64_t processors, bool can_grow, const Fits& fits) {
  Conflict conflict{{memory}, 0};
  // A constraint is in the set if the others can be met without it.
  for (int i = 1; can_grow && i <= most_doublings && conflict.processors == 0; ++i)
    if (fits(processors << i, true)) conflict.processors = processors << i;
  const bool keep_matters = !keep.empty() && fits(processors, false);
  if (conflict.processors > 0 || !keep_matters) conflict.constraints.push_back(mesh);
  if (keep_matters) conflict.constraints.push_back(keep);
  return conflict;
}

std::string conflict_text(const Conflict& conflict, const plan::Plan& plan) {
  std::string text = series(conflict.constraints, "and") + " do not go together: ";
  if (!plan.is_proved())
    text = "No layout that was looked at fits " + series(conflict.constraints, "and") + ": ";
  if (!plan.smallest && !plan.is_proved() && plan.illegal == 0)
    text = "Time was up before a layout was looked at: give `--time` more";
  else if (!plan.smallest)
    text += plan.is_proved() ? "no layout is legal" : "none of these is legal";
  else
    text += scaled(plan.smallest->price.memory, "B") +
            " of each processor is the least that was found, with " +
            mesh_line(plan.smallest->choice) + " and " + plan::description(plan.smallest->choice);
  if (plan.least_memory > 0)
    text += "; parameters and what is kept beside them take " + scaled(plan.least_memory, "B") +
            " of each however they are split";
  if (conflict.processors > 0)
    text += "; " + std::to_string(conflict.processors) + " processors would do" +
            (plan.is_proved() ? "" : ", as far as was looked");
  return wrapped(text + ".", {}) + "\n\n";
}

JsonFields conflict_json(const Conflict& conflict) {
  return {{"conflict", json_list(conflict.constraints)},
          {"processors_that_do",
           conflict.processors > 0 ? json(conflict.processors) : std::string("null")}};
}

}  // namespace mtfc::cli
