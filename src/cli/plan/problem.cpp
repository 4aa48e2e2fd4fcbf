// mtfc plan --problem: one strategy for each node of a problem that a file states, as the planner's
// solver finds and proves it.
#include "cli/plan/problem.h"

#include <fmt/format.h>

#include <cmath>

#include "data/files/read_file.h"
#include "solve/read_problem.h"
#include "solve/solve.h"
#include "support/text.h"

namespace mtfc::cli {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 31;

/// Nothing: reported.
std::optional<solve::Problem> read(Session& session, const std::string& path) {
  const runtime::Result<runtime::Bytes> bytes = runtime::read_maybe_gzip(path, most_bytes);
  if (!bytes) {
    session.report(diag(DiagKind::unreadable_file, bytes.error().message));
    return std::nullopt;
  }
  const std::string_view text = runtime::text_of(*bytes);
  runtime::Result<solve::Problem> problem = solve::read_problem(text);
  if (problem) return std::move(*problem);
  session.report(diag(DiagKind::unreadable_file,
                      "`" + path + "` is not a valid problem: " + problem.error().message)
                     .help("the format is that of the contest on intra-operator parallelism: "
                           "docs/plan-problem.md"));
  return std::nullopt;
}

std::string_view status_of(const solve::Solution& solution) {
  switch (solution.outcome) {
    case solve::Outcome::optimal:
      return "optimal";
    case solve::Outcome::feasible:
      return "feasible";
    case solve::Outcome::infeasible:
      return "infeasible";
    case solve::Outcome::unknown:
      break;
  }
  return "unknown";
}

std::string in_percent(double part) { return fmt::format("{:.3f} %", 100 * part); }

std::string verdict_of(const solve::Solution& solution) {
  const std::string cost = std::to_string(solution.cost.value_or(0));
  const std::string bound = solution.bound ? std::to_string(*solution.bound) : "";
  switch (solution.outcome) {
    case solve::Outcome::optimal:
      return "The cost is " + cost + ". No other choice costs less.\n";
    case solve::Outcome::infeasible:
      return "No choice is possible within the limit.\n";
    case solve::Outcome::unknown:
      return "Time was up before a choice within the limit was found" +
             (bound.empty() ? "" : "; one costs at least " + bound) + ".\n";
    case solve::Outcome::feasible:
      break;
  }
  const double gap = static_cast<double>(*solution.cost - *solution.bound) /
                     std::max(1.0, std::fabs(static_cast<double>(*solution.cost)));
  return "The cost is " + cost + ". None costs less than " + bound + ", " + in_percent(gap) +
         " below.\n";
}

std::string text_of(const solve::Problem& problem, const solve::Solution& solution) {
  const std::string limit = problem.limit
                                ? "at most " + std::to_string(*problem.limit) + " used at any time"
                                : "no limit on what is used";
  return problem.name + (problem.name.empty() ? "" : ": ") + counted(problem.nodes.size(), "node") +
         ", " + counted(problem.edges.size(), "edge") + ", " + limit + "\n" + verdict_of(solution);
}

JsonFields fields_of(const solve::Problem& problem, const solve::Solution& solution) {
  const auto number = [](const std::optional<solve::Cost>& value) {
    return value ? json(*value) : std::string("null");
  };
  const bool found = solution.cost.has_value();
  return {{"problem", json(problem.name)},
          {"status", json(status_of(solution))},
          {"cost", number(solution.cost)},
          {"bound", number(solution.bound)},
          {"optimal", json(solution.outcome == solve::Outcome::optimal)},
          {"strategies", found ? json_list(solution.strategies) : "null"}};
}

}  // namespace

int plan_problem(Session& session) {
  const Options& o = session.options;
  if (!o.model.empty() || !o.plan.processors.empty())
    return session.usage_error("`--problem` cannot be combined with MODEL or `--processors`",
                               "the file says all that is planned");
  const std::optional<solve::Problem> problem = read(session, o.plan.problem);
  if (!problem) return session.finish(exit_usage);
  session.flush();
  const solve::Solution solution = solve::solve(*problem, {o.plan.seconds});
  session.print(text_of(*problem, solution));
  return session.finish(solution.cost ? exit_done : exit_over_budget,
                        fields_of(*problem, solution));
}

}  // namespace mtfc::cli
