#include "cli/reports/pass_table.h"

#include <fmt/core.h>

#include "cost/cost.h"
#include "lowering/pipeline.h"
#include "lowering/spmd/resolve_step.h"
#include "lowering/stages/stage_states.h"
#include "support/figures.h"
#include "support/json.h"
#include "support/program_names.h"

namespace mtfc::cli {
namespace {

constexpr const char* kRow = "  {:<22} {:>11} {:>12} {:>12}\n";

/// Of all stages together.
std::optional<PassRow> row_after(const std::string& pass, const lowering::StageStates& states,
                                 const SourceMap& sources) {
  PassRow row{pass, 0, 0, 0};
  bool counts = false;
  for (const lowering::State* state : states.current()) {
    if (counted_programs(state->made.module).empty()) continue;
    const cost::Cost cost = cost::cost_of_step(state->made.module, sources);
    row.collectives += cost.collectives.size();
    *row.moved += cost.moved_per_processor();
    row.sent += static_cast<double>(cost.sent_per_processor());
    counts = true;
  }
  return counts ? std::optional(row) : std::nullopt;
}

/// What the operations need one by one, found without a program.
std::optional<PassRow> row_before(const lowering::StageStates& states) {
  PassRow row{"", 0, std::nullopt, 0};
  bool counts = false;
  for (const lowering::State* state : states.current()) {
    if (state->step.empty()) continue;
    const lowering::ResolvedStep step = lowering::resolve_step(*state);
    row.collectives += static_cast<std::size_t>(step.collectives);
    row.sent += step.sent_bytes;
    counts = true;
  }
  return counts ? std::optional(row) : std::nullopt;
}

}  // namespace

std::vector<PassRow> pass_rows(const SourceMap& sources, const Model& model,
                               const Assignment& assignment) {
  std::vector<PassRow> rows;
  const auto add = [&](std::optional<PassRow> row) {
    if (row) rows.push_back(std::move(*row));
  };
  lowering::StageStates states{lowering::start(model, assignment, {})};
  for (const lowering::Pass& pass : lowering::passes()) {
    const bool counts = pass.stage == lowering::PassStage::programs;
    if (counts && rows.empty()) add(row_before(states));
    lowering::run(pass, states);
    if (counts) add(row_after(std::string(pass.name), states, sources));
  }
  return rows;
}

std::string pass_table(const std::vector<PassRow>& rows) {
  std::string text = "\n" + fmt::format(kRow, "after pass", "collectives", "moved", "sent");
  for (const PassRow& row : rows)
    text += fmt::format(kRow, row.pass.empty() ? "(each operation)" : row.pass, row.collectives,
                        row.moved ? scaled(static_cast<double>(*row.moved), "B") : "",
                        scaled(row.sent, "B"));
  return text;
}

std::string pass_json(const std::vector<PassRow>& rows) {
  std::vector<std::string> all;
  for (const PassRow& row : rows)
    all.push_back(json_object({{"pass", row.pass.empty() ? "null" : json(row.pass)},
                               {"collectives", json(row.collectives)},
                               {"bytes_per_processor", row.moved ? json(*row.moved) : "null"},
                               {"bytes_sent_per_processor", json(row.sent)}}));
  return json_array(all);
}

}  // namespace mtfc::cli
