#include "cli/reports/cost_table.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "cli/options/usage.h"
#include "cli/reports/costed.h"
#include "cli/reports/useless.h"
#include "cli/session/judge_layout.h"
#include "cli/session/read_model.h"
#include "cli/session/target.h"
#include "layout/check_summary.h"
#include "lowering/pipeline.h"
#include "messages/display.h"
#include "messages/table.h"
#include "predict/predict.h"
#include "support/figures.h"

namespace mtfc::cli {
namespace {

using lowering::LayoutReport;

constexpr int step_column = 5;

/// What a step of one layout takes, of the processor that has the most of it.
struct Figures {
  double work = 0, memory = 0, sent = 0;  // FLOP, bytes
  std::int64_t processors = 1;
  // On a machine, if one is named.
  std::optional<double> step = {};
  double memory_of_run = 0, memory_there = 0;
  bool fits() const { return !step || memory_of_run <= memory_there; }
};

Figures figures_of(const CostedPipeline& costed) {
  Figures found{0, static_cast<double>(costed.cost.most_memory()), 0, costed.processors()};
  for (std::size_t i = 0; i < costed.cost.stages.size(); ++i) {
    const cost::StageCost& stage = costed.cost.stages[i];
    found.work = std::max(found.work, costed.module.shape.microbatches *
                                          (stage.forward_flops + stage.backward_flops));
    found.sent = std::max(found.sent, costed.sent(i));
  }
  if (!costed.prediction) return found;
  found.step = costed.prediction->step;
  found.memory_of_run = static_cast<double>(costed.cost.most_memory_of_run().bytes);
  found.memory_there = costed.machine->chip.memory;
  return found;
}

/// Nothing: reported in `report`, or by the session; `status` says how to end.
std::optional<Figures> figures_of(Session& session, const Model& model, LayoutReport& report,
                                  int& status) {
  const Assignment& assignment = *report.assignment;
  if (assignment.stages) {
    const auto costed = cost_pipeline(session, model, assignment, report.hardware, status);
    return costed ? std::optional(figures_of(*costed)) : std::nullopt;
  }
  status = exit_done;
  const std::optional<Target> target =
      find_target(session, report.hardware, assignment.mesh, status);
  if (status != exit_done) return std::nullopt;
  const Module module = lowering::lower(model, assignment, {});
  std::optional<Costed> costs =
      costed_run(session, model, module, target ? target->machine.chip.detail() : cost::Detail{});
  if (!costs) return std::nullopt;
  const cost::Cost& cost = costs->cost;
  warn_useless(session, model, assignment, report.settings, cost, report.diagnostics);
  Figures found{cost.flops_per_processor, static_cast<double>(cost.memory_per_processor()),
                static_cast<double>(cost.sent_per_processor()), processors(*costs)};
  if (!target) return found;
  const predict::Prediction prediction = predict::predict(cost, target->machine, target->mapping);
  found.step = prediction.step;
  found.memory_of_run = static_cast<double>(prediction.memory_needed.bytes);
  found.memory_there = prediction.memory_there;
  return found;
}

/// A layout that was looked at; without figures something is wrong with it.
struct Row {
  std::string file;
  Diagnostics diagnostics;
  std::optional<Figures> figures;
};

std::string json_row(const Row& row, const SourceMap& sources) {
  JsonFields fields = {{"file", json(row.file)}, {"ok", json(row.figures.has_value())}};
  if (row.figures) {
    const Figures& found = *row.figures;
    fields.emplace_back("processors", json(found.processors));
    fields.emplace_back("flops", json_object({{"per_processor", json(found.work)}}));
    fields.emplace_back("memory", json_object({{"per_processor", json(found.memory)}}));
    fields.emplace_back("sent", json_object({{"per_processor", json(found.sent)}}));
    if (found.step) fields.emplace_back("step_seconds", json(*found.step));
    if (found.step)
      fields.emplace_back("run_memory",
                          json_object({{"per_processor", json(found.memory_of_run)}}));
    if (found.step) fields.emplace_back("fits", json(found.fits()));
  }
  fields.emplace_back("diagnostics", json_diagnostics(row.diagnostics, sources));
  return json_object(fields);
}

/// The fastest that fit first; those without a time as they were given.
void sort(std::vector<const Row*>& rows) {
  const auto key = [](const Row* row) {
    const bool known = row->figures.has_value();
    return std::tuple(!known, known && !row->figures->fits(),
                      known ? row->figures->step.value_or(0) : 0);
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const Row* a, const Row* b) { return key(a) < key(b); });
}

std::string verdict_of(const Row& row) {
  if (!row.figures) return "error";
  return row.figures->fits() ? "ok" : "does not fit";
}

std::vector<std::string> cells_of(const Row& row) {
  std::vector<std::string> cells = {printable(row.file), "-", "-", "-", "-", "-", verdict_of(row)};
  if (!row.figures) return cells;
  const Figures& found = *row.figures;
  cells[1] = std::to_string(found.processors);
  cells[2] = scaled(found.work, "FLOP");
  cells[3] = scaled(found.memory, "B");
  cells[4] = scaled(found.sent, "B");
  if (found.step) cells[step_column] = duration(*found.step);
  return cells;
}

std::string table(const std::vector<Row>& rows) {
  std::vector<const Row*> order;
  for (const Row& row : rows) order.push_back(&row);
  sort(order);
  std::vector<std::vector<std::string>> cells = {
      {"layout", "processors", "work", "memory", "sent", "step", "verdict"}};
  for (const Row* row : order) cells.push_back(cells_of(*row));
  const bool timed = std::any_of(cells.begin() + 1, cells.end(),
                                 [](const auto& row) { return row[step_column] != "-"; });
  if (!timed)
    for (std::vector<std::string>& row : cells) row.erase(row.begin() + step_column);
  std::vector<std::size_t> numbers = {1, 2, 3, 4};
  if (timed) numbers.push_back(step_column);
  return table_text(cells, {"", numbers, output_columns()}) +
         "\nof the processor that has, computes and sends the most\n";
}

/// An option that is about one layout; empty: none is given.
std::string option_of_one(const Options& options) {
  if (!options.budget.empty()) return "--budget";
  if (options.symbolic) return "--symbolic";
  if (options.counters) return "--counters";
  return options.passes ? "--passes" : "";
}

}  // namespace

int cost_of_several(Session& session) {
  if (const std::string option = option_of_one(session.options); !option.empty())
    return session.usage_error("`" + option + "` is about one layout, and there are " +
                                   std::to_string(session.options.layouts.size()),
                               "name one, or leave `" + option + "` out");
  int status = exit_done, worst = exit_done;
  const std::optional<Model> model = read_model(session, {}, status);
  if (!model) return session.finish(status, {{"layouts", "[]"}});
  session.flush();
  std::vector<Row> rows;
  std::vector<std::string> all;
  for (const std::string& path : session.options.layouts) {
    LayoutReport report = judge_layout(session, *model, path, status);
    Row row{path, {}, {}};
    if (report.assignment) row.figures = figures_of(session, *model, report, status);
    row.diagnostics = std::move(report.diagnostics);
    session.print(row.diagnostics);
    if (!row.figures) worst = std::max(worst, status);
    if (session.options.strict && row.diagnostics.warnings() > 0)
      worst = std::max<int>(worst, exit_invalid);
    all.push_back(json_row(row, session.sources));
    rows.push_back(std::move(row));
  }
  const std::string what = has_loss(model->train) ? ", one training step" : ", one run";
  session.print(model->path + what + "\n\n" + table(rows));
  return session.finish(worst, {{"layouts", json_array(all)}});
}

}  // namespace mtfc::cli
