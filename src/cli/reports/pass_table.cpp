#include "cli/reports/pass_table.h"

#include <fmt/core.h>

#include "cost/cost.h"
#include "lowering/pipeline.h"
#include "lowering/spmd/resolve_step.h"
#include "support/figures.h"
#include "support/json.h"
#include "support/program_names.h"

namespace mtfc::cli {
namespace {

constexpr const char* kRow = "  {:<22} {:>11} {:>12} {:>12}\n";

std::optional<PassRow> row_after(const std::string& pass, const Module& module,
                                 const SourceMap& sources) {
  if (counted_programs(module).empty()) return std::nullopt;
  const cost::Cost cost = cost::cost_of_step(module, sources);
  return PassRow{pass, cost.collectives.size(), cost.moved_per_processor(),
                 static_cast<double>(cost.sent_per_processor())};
}

/// What the operations need one by one, found without a program.
std::optional<PassRow> row_before(const lowering::State& state) {
  if (state.step.empty()) return std::nullopt;
  const lowering::ResolvedStep step = lowering::resolve_step(state);
  return PassRow{"", static_cast<std::size_t>(step.collectives), std::nullopt, step.sent_bytes};
}

}  // namespace

std::vector<PassRow> pass_rows(const SourceMap& sources, const Model& model,
                               const Assignment& assignment) {
  std::vector<PassRow> rows;
  const auto add = [&](std::optional<PassRow> row) {
    if (row) rows.push_back(std::move(*row));
  };
  lowering::State state = lowering::start(model, assignment, {});
  for (const lowering::Pass& pass : lowering::passes()) {
    const bool counts = pass.stage == lowering::PassStage::programs;
    if (counts && rows.empty()) add(row_before(state));
    lowering::run(pass, state);
    if (counts) add(row_after(std::string(pass.name), state.made.module, sources));
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
