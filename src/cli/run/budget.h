// `--budget "memory<=16GB, sent<=2GB, step<=300ms"`: what a step may cost.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/session/session.h"
#include "cost/cost.h"

namespace mtfc::cli {

struct BudgetLimit {
  std::string name;  // "memory", "sent" (bytes of one processor), "step" (seconds)
  double most = 0;
  std::string text;  // "16GB", as given
  Span span;
};

/// The limits of --budget, in its order; what is wrong with it is reported.
std::optional<std::vector<BudgetLimit>> read_budget(Session& session);

/// What is limited, of the processor that has the most of it.
struct Spent {
  cost::MostMemory memory;
  double sent = 0;  // bytes
  double step = 0;  // seconds; without a machine not known
};
/// False if the step is limited and there is no machine to know it by: reported.
bool can_judge(Session& session, const std::vector<BudgetLimit>& limits, bool has_machine);
/// Reports what exceeds its limit, and adds `budget` to the JSON of `cost`, if there is one. How
/// the command ends.
int judge_budget(Session& session, const std::vector<BudgetLimit>& limits, const Spent& spent,
                 JsonFields& fields);

}  // namespace mtfc::cli
