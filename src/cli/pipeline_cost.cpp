#include "cli/pipeline_cost.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "cli/prediction_text.h"
#include "cli/programs.h"
#include "cli/target.h"
#include "cli/usage.h"
#include "cost/pipeline_cost.h"
#include "pipeline/task_picture.h"
#include "predict/predict_pipeline.h"
#include "support/display.h"
#include "support/figures.h"
#include "support/table.h"
#include "support/wrap.h"

namespace mtfc::cli {
namespace {

using backends::PipelineCost;
using backends::StageCost;
using predict::PipelinePrediction;

std::int64_t blocks_of(const Stages& stages, int stage) {
  std::int64_t count = 0;
  for (const auto& [block, at] : stages.blocks) count += stages.stage_of(at) == stage ? 1 : 0;
  return count;
}

/// By one pass in flight: of chunks that differ, the least and the most.
std::string held_by_one(const StageCost& cost) {
  const auto [least, most] = std::minmax_element(cost.held_bytes.begin(), cost.held_bytes.end());
  const std::string end = scaled(static_cast<double>(*most), "B");
  return *least == *most ? end : scaled(static_cast<double>(*least), "B") + "-" + end;
}

std::string stage_table(const PipelineModule& module, const Stages& stages,
                        const PipelineCost& cost) {
  std::vector<std::vector<std::string>> rows = {{"stage", "blocks", "parameters", "forward",
                                                 "backward", "sends", "in flight", "each",
                                                 "memory"}};
  for (std::size_t i = 0; i < cost.stages.size(); ++i) {
    const StageCost& one = cost.stages[i];
    const int stage = static_cast<int>(i);
    rows.push_back({std::to_string(i), std::to_string(blocks_of(stages, stage)),
                    scaled(static_cast<double>(one.parameters), ""), scaled(one.forward_flops, "F"),
                    scaled(one.backward_flops, "F"), scaled(cost.sent(module, stage), "B"),
                    std::to_string(one.in_flight), held_by_one(one),
                    scaled(static_cast<double>(one.memory()), "B")});
  }
  return table_text(rows, {"  ", {0, 1, 2, 3, 4, 5, 6, 7, 8}}) + "\n  " +
         wrapped(
             "forward, backward: FLOP of a processor for one micro-batch; sends: bytes of a "
             "processor to other stages in a step; in flight: micro-batches whose backward pass " +
                 std::string(stages.chunks > 1 ? "through a chunk " : "") +
                 "is still to come; each: what a processor holds of one of these",
             {2, 2, output_columns()}) +
         "\n";
}

std::string picture_text(const PipelineModule& module,
                         const std::vector<pipeline::TimedTask>& tasks, bool by_machine) {
  const pipeline::Shape& shape = module.shape;
  const std::string drawn = shape.chunks == 1 ? "> forward, < backward"
                                              : "a, b ... forward through these chunks, A, B ... "
                                                "backward";
  std::string text = "\n  " +
                     wrapped("micro-batches over time, " +
                                 std::string(by_machine ? "as predicted" : "by work alone") + ": " +
                                 drawn + ", . waiting",
                             {2, 2, output_columns()}) +
                     "\n\n";
  const std::vector<std::string> rows = pipeline::picture(tasks, shape, output_columns() - 8);
  for (std::size_t i = 0; i < rows.size(); ++i) text += fmt::format("  {:>4}  {}\n", i, rows[i]);
  return text +
         fmt::format("\n  waiting {:.1f} % of the passes' time; equal stages would {:.1f} %\n",
                     100 * pipeline::idle_share(tasks, shape.stages),
                     100 * pipeline::least_idle(shape));
}

std::string figure_row(const std::string& what, const std::string& value,
                       const std::string& more = "") {
  return fmt::format("  {:<24} {:>16}{}\n", what, value, more.empty() ? "" : "  " + more);
}

std::string prediction_text(const PipelinePrediction& found, const PipelineCost& cost,
                            const Target& target) {
  const std::string where = "predicted on " + target.machine.name + ": " +
                            to_string(target.mesh, target.machine, target.mapping);
  std::string text = "\n" + wrapped(where, {0, 2, output_columns()}) + "\n\n";
  text += figure_row("step", duration(found.step));
  text += figure_row("  micro-batches", duration(found.step - found.once));
  text += figure_row("  once a step", duration(found.once));
  text += figure_row(
      "MFU", fmt::format("{:.1f} %", 100 * found.mfu(static_cast<int>(cost.stages.size()))));
  const auto needed = static_cast<double>(cost.most_memory());
  const double there = target.machine.chip.memory;
  return text +
         figure_row("memory, largest stage", scaled(needed, "B"),
                    (needed <= there ? "fits: " : "does not fit: ") +
                        fmt::format("{:.1f} % of ", 100 * needed / there) + scaled(there, "B"));
}

JsonFields stage_json(const PipelineModule& module, const Stages& stages, const PipelineCost& cost,
                      std::size_t number) {
  const StageCost& one = cost.stages[number];
  const int stage = static_cast<int>(number);
  return {{"blocks", json(blocks_of(stages, stage))},
          {"parameters", json(one.parameters)},
          {"forward_flops", json(one.forward_flops)},
          {"backward_flops", json(one.backward_flops)},
          {"flops_per_processor", json(one.cost.flops_per_processor)},
          {"sent_to_stages", json(cost.sent(module, stage))},
          {"sent_in_stage", json(one.cost.sent_per_processor())},
          {"in_flight", json(one.in_flight)},
          {"held_bytes",
           json(std::accumulate(one.held_bytes.begin(), one.held_bytes.end(), std::int64_t{0}))},
          {"most_held_bytes", json(one.most_held_bytes)},
          {"memory", json(one.memory())}};
}

JsonFields to_json(const PipelineModule& module, const Stages& stages, const PipelineCost& cost,
                   const std::vector<pipeline::TimedTask>& tasks) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < cost.stages.size(); ++i)
    all.push_back(json_object(stage_json(module, stages, cost, i)));
  return {{"schedule", json(name(module.shape.schedule))},
          {"chunks", json(std::int64_t{module.shape.chunks})},
          {"microbatches", json(module.shape.microbatches)},
          {"processors", json(module.stages.front().mesh.processors() *
                              static_cast<std::int64_t>(cost.stages.size()))},
          {"stages", json_array(all)},
          {"waiting", json(pipeline::idle_share(tasks, module.shape.stages))}};
}

Spent spent(const PipelineModule& module, const PipelineCost& cost,
            const PipelinePrediction* prediction) {
  Spent all{static_cast<double>(cost.most_memory()), 0, prediction ? prediction->step : 0};
  for (std::size_t i = 0; i < cost.stages.size(); ++i)
    all.sent = std::max(all.sent, static_cast<double>(cost.stages[i].cost.sent_per_processor()) +
                                      cost.sent(module, static_cast<int>(i)));
  return all;
}

}  // namespace

std::optional<CostedPipeline> cost_pipeline(Session& session, const Compiled& compiled,
                                            int& status) {
  const Assignment& assignment = compiled.assignment;
  CostedPipeline found;
  status = exit_done;
  found.target =
      find_target(session, compiled.hardware,
                  predict::mesh_of_stages(assignment.mesh, assignment.stages->count), status);
  if (status != exit_done) return std::nullopt;
  std::optional<Programs> programs = programs_for(session, compiled.model, assignment, {}, status);
  if (!programs) return std::nullopt;
  found.module = std::move(*programs->pipeline);
  if (found.module.step.empty()) {
    status = exit_usage;
    session.report(
        diag(DiagKind::wrong_usage, "the model has no loss, so that no stage has a backward pass")
            .help("add `loss E`, or take the `pipeline` out of the layout"));
    return std::nullopt;
  }
  found.cost = backends::cost_of_pipeline(
      found.module, session.sources,
      found.target ? found.target->machine.chip.detail() : backends::Detail{});
  if (found.target)
    found.prediction = predict::predict(
        found.module, found.cost, found.target->machine,
        predict::mapping_of_stage(found.target->mapping, assignment.mesh.axes.size()));
  return found;
}

std::vector<pipeline::TimedTask> passes_by_work(const PipelineModule& module,
                                                const PipelineCost& cost) {
  return pipeline::timeline(module.shape, cost.pass_flops, {});
}

int cost_of_stages(Session& session, const Compiled& compiled,
                   const std::vector<BudgetLimit>& budget) {
  int status = exit_done;
  const std::optional<CostedPipeline> costed = cost_pipeline(session, compiled, status);
  if (!costed) return session.finish(status);
  if (!can_judge(session, budget, costed->target.has_value())) return session.finish(exit_usage);
  const auto& [module, cost, target, prediction] = *costed;
  const Stages& stages = *compiled.assignment.stages;
  const std::string title =
      compiled.model.path + " on " + mesh_text(compiled.assignment.mesh, stages) +
      ", one training step of " + std::to_string(module.shape.microbatches) + " micro-batches";
  session.print(wrapped(title, {.indent = 2}) + "\n\n" + stage_table(module, stages, cost));
  JsonFields fields;
  if (prediction) {
    session.print(prediction_text(*prediction, cost, *target));
    fields = {{"hardware", json(target->machine.name)},
              {"step_seconds", json(prediction->step)},
              {"once_seconds", json(prediction->once)},
              {"mfu", json(prediction->mfu(stages.count))}};
  }
  const std::vector<pipeline::TimedTask> tasks =
      prediction ? prediction->passes : passes_by_work(module, cost);
  session.print(picture_text(module, tasks, prediction.has_value()));
  for (auto& field : to_json(module, stages, cost, tasks)) fields.push_back(std::move(field));
  status = judge_budget(session, budget, spent(module, cost, prediction ? &*prediction : nullptr),
                        fields);
  return session.finish(status, std::move(fields));
}

}  // namespace mtfc::cli
