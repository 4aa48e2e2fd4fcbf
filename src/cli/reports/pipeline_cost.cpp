#include "cli/reports/pipeline_cost.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/options/usage.h"
#include "cli/reports/costed_pipeline.h"
#include "cli/reports/counters_text.h"
#include "cli/reports/pass_table.h"
#include "cli/reports/prediction_rows.h"
#include "cli/reports/stages_detail.h"
#include "cost/pipeline_cost.h"
#include "messages/display.h"
#include "messages/table.h"
#include "messages/wrap.h"
#include "pipeline/task_picture.h"
#include "predict/predict_pipeline.h"
#include "support/figures.h"

namespace mtfc::cli {
namespace {

using cost::PipelineCost;
using cost::StageCost;
using predict::PipelinePrediction;

/// By one pass in flight: of chunks that differ, through that which holds the most.
std::string held_by_one(const StageCost& cost) {
  return scaled(
      static_cast<double>(*std::max_element(cost.held_bytes.begin(), cost.held_bytes.end())), "B");
}

/// What a run holds more than a step, if it does.
std::string beside_step_text(const PipelineCost& cost) {
  const cost::MostMemory most = cost.most_memory_of_run();
  if (most.when.empty()) return "";
  return "  memory " + most.when + ": " + scaled(static_cast<double>(most.bytes), "B") +
         " on the stage that needs the most\n";
}

std::string stage_table(const CostedPipeline& costed) {
  const PipelineCost& cost = costed.cost;
  std::vector<std::vector<std::string>> rows = {
      {"stage", "blocks", "params", "forward", "backward", "sends", "in flight", "each", "memory"}};
  for (std::size_t i = 0; i < cost.stages.size(); ++i) {
    const StageCost& one = cost.stages[i];
    rows.push_back({std::to_string(i), std::to_string(costed.blocks(i)),
                    scaled(static_cast<double>(one.parameters), ""), scaled(one.forward_flops, "F"),
                    scaled(one.backward_flops, "F"),
                    scaled(cost.sent(costed.module, static_cast<int>(i)), "B"),
                    std::to_string(one.in_flight), held_by_one(one),
                    scaled(static_cast<double>(one.memory()), "B")});
  }
  return table_text(rows, {"  ", {0, 1, 2, 3, 4, 5, 6, 7, 8}}) + "\n  " +
         wrapped(
             "forward, backward: FLOP of a processor for one micro-batch; sends: bytes of a "
             "processor to other stages in a step; in flight: micro-batches whose backward pass " +
                 std::string(costed.stages.chunks > 1 ? "through a chunk " : "") +
                 "is still to come; each: what a processor holds of one of these" +
                 (costed.stages.chunks > 1 ? ", in the chunk that holds the most" : ""),
             {2, 2, output_columns()}) +
         "\n" + beside_step_text(cost);
}

std::string picture_text(const PipelineModule& module,
                         const std::vector<pipeline::TimedTask>& tasks, bool by_machine) {
  const pipeline::Shape& shape = module.shape;
  const std::string drawn = shape.chunks == 1 ? "> forward, < backward"
                                              : "a, b ... forward through these chunks, A, B ... "
                                                "backward";
  const auto [rows, shown] = pipeline::picture(tasks, shape, output_columns() - 8);
  const std::string part =
      shown < 1 ? fmt::format(" (the first {:.3g} % of the passes)", 100 * shown) : "";
  std::string text = "\n  " +
                     wrapped("micro-batches over time, " +
                                 std::string(by_machine ? "as predicted" : "by work alone") + part +
                                 ": " + drawn + ", . waiting",
                             {2, 2, output_columns()}) +
                     "\n\n";
  for (std::size_t i = 0; i < rows.size(); ++i) text += fmt::format("  {:>4}  {}\n", i, rows[i]);
  return text +
         fmt::format("\n  waiting {:.1f} % of the passes' time; with equal stages: {:.1f} %\n",
                     100 * pipeline::idle_share(tasks, shape.stages),
                     100 * pipeline::least_idle(shape));
}

/// With a machine.
PredictedStep predicted_step(const CostedPipeline& costed) {
  return {costed.machine->name,
          costed.where,
          costed.prediction->step,
          costed.prediction->mfu(),
          costed.cost.most_memory_of_run(),
          costed.machine->chip.memory};
}

std::string prediction_text(const CostedPipeline& costed, const Model& model) {
  const PipelinePrediction& found = *costed.prediction;
  const PredictedStep step = predicted_step(costed);
  return prediction_heading(step) + prediction_row("step", duration(found.step)) +
         prediction_row("  micro-batches", duration(found.step - found.once)) +
         prediction_row("  once per step", duration(found.once)) +
         prediction_row("MFU", percent(found.mfu())) + rate_rows(step, model) +
         memory_row("memory, largest stage", step);
}

Spent spent(const CostedPipeline& costed) {
  Spent all{costed.cost.most_memory_of_run(), 0, costed.prediction ? costed.prediction->step : 0};
  for (std::size_t i = 0; i < costed.cost.stages.size(); ++i)
    all.sent = std::max(all.sent, costed.sent(i));
  return all;
}

/// --symbolic in --json, --counters and --passes.
void add_detail(const Session& session, const Compiled& compiled, const CostedPipeline& costed,
                JsonFields& fields) {
  if (session.options.symbolic) fields.emplace_back("formulas", stages_formulas_json(costed));
  if (session.options.counters) {
    const std::map<std::string, double> counters = stages_counters(costed.module);
    session.print(counters_text(counters));
    fields.emplace_back("counters", json_texts(counters));
  }
  if (!session.options.passes) return;
  const std::vector<PassRow> passes =
      pass_rows(session.sources, compiled.model, compiled.assignment);
  session.print(pass_table(passes) + "  on a processor of each stage together\n");
  fields.emplace_back("passes", pass_json(passes));
}

}  // namespace

int cost_of_stages(Session& session, const Compiled& compiled,
                   const std::vector<BudgetLimit>& budget) {
  int status = exit_done;
  const std::optional<CostedPipeline> costed =
      cost_pipeline(session, compiled.model, compiled.assignment, compiled.hardware, status);
  if (!costed) return session.finish(status);
  const std::optional<PipelinePrediction>& prediction = costed->prediction;
  if (!can_judge(session, budget, prediction.has_value())) return session.finish(exit_usage);
  const PipelineModule& module = costed->module;
  const std::string title = compiled.model.path + " on " + costed->meshes +
                            ", one training step of " + std::to_string(module.shape.microbatches) +
                            " micro-batches";
  const bool symbolic = session.options.symbolic;
  session.print(
      wrapped(title, {.indent = 2}) + "\n\n" +
      (symbolic ? stages_formulas_text(*costed, session.options.leading) : stage_table(*costed)));
  JsonFields fields;
  if (prediction) {
    session.print(prediction_text(*costed, compiled.model));
    fields = prediction_json(predicted_step(*costed), compiled.model);
    fields.emplace_back("once_seconds", json(prediction->once));
  }
  if (!symbolic) session.print(picture_text(module, costed->passes(), prediction.has_value()));
  append(fields, costed->fields());
  add_detail(session, compiled, *costed, fields);
  status = judge_budget(session, budget, spent(*costed), fields);
  return session.finish(status, std::move(fields));
}

}  // namespace mtfc::cli
