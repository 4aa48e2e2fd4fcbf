// `--budget "memory<=16GB, sent<=2GB, step<=300ms"`: what a step may cost.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/session.h"
#include "cost/cost.h"
#include "predict/predict.h"

namespace mtfc::cli {

struct BudgetLimit {
  std::string name;  // "memory", "sent" (bytes of one processor), "step" (seconds)
  double most = 0;
  std::string text;  // "16GB", as given
  Span span;
};

/// The limits of --budget, in its order; what is wrong with it is reported.
std::optional<std::vector<BudgetLimit>> read_budget(Session& session);

/// Whether one is of the step, which takes a machine to know.
bool limits_step(const std::vector<BudgetLimit>& limits);
/// As `budget` in the JSON of `cost`. `prediction`: null without a machine, and then no limit is
/// one of the step.
std::string budget_json(const std::vector<BudgetLimit>& limits, const backends::Cost& cost,
                        const predict::Prediction* prediction);
/// Reports what exceeds its limit; false if something does.
bool within_budget(Session& session, const std::vector<BudgetLimit>& limits,
                   const backends::Cost& cost, const predict::Prediction* prediction);

}  // namespace mtfc::cli
