// mtfc cost: what a step costs, before any run.
#include <fmt/core.h>

#include <algorithm>

#include "cli/options/commands.h"
#include "cli/reports/cost_table.h"
#include "cli/reports/costed.h"
#include "cli/reports/counters_text.h"
#include "cli/reports/formulas_text.h"
#include "cli/reports/pass_table.h"
#include "cli/reports/peak_text.h"
#include "cli/reports/pipeline_cost.h"
#include "cli/reports/prediction_text.h"
#include "cli/reports/traffic_text.h"
#include "cli/reports/useless.h"
#include "cli/run/budget.h"
#include "cli/session/compile.h"
#include "cli/session/mesh_text.h"
#include "cli/session/programs.h"
#include "cost/cost.h"
#include "cost/mesh_tensorflow.h"
#include "messages/wrap.h"
#include "support/figures.h"

namespace mtfc::cli {
namespace {

std::string row(const std::string& what, const std::string& per_processor, const std::string& all) {
  return fmt::format("  {:<24} {:>16} {:>16}\n", what, per_processor, all);
}

std::string totals(const cost::Cost& cost) {
  const auto processors = static_cast<double>(cost.processors);
  const auto memory = static_cast<double>(cost.memory_per_processor());
  const auto bytes = static_cast<double>(cost.moved_per_processor());
  const auto sent = static_cast<double>(cost.sent_per_processor());
  std::string text = row("", "per processor", "all " + std::to_string(cost.processors));
  text += row("work", scaled(cost.flops_per_processor, "FLOP"),
              scaled(cost.flops_per_processor * processors, "FLOP"));
  if (cost.repeated_flops() > 0)
    text += row("  duplicated", scaled(cost.repeated_flops(), "FLOP"),
                scaled(cost.repeated_flops() * processors, "FLOP"));
  text += row("memory", scaled(memory, "B"), scaled(memory * processors, "B"));
  for (const cost::MemoryRole role : cost::all_memory_roles)
    if (const std::int64_t used = cost.peak.in_use(role); used > 0)
      text += row("  " + std::string(name(role)), scaled(static_cast<double>(used), "B"), "");
  if (cost.peak.unused > 0)
    text += row("  not in use at the peak", scaled(static_cast<double>(cost.peak.unused), "B"), "");
  for (const auto& [when, bytes] : {std::pair("memory for first values", cost.first_values_bytes),
                                    std::pair("memory in an evaluation", cost.evaluation_bytes)})
    if (const auto held = static_cast<double>(bytes); held > memory)
      text += row(when, scaled(held, "B"), scaled(held * processors, "B"));
  text += row("collectives' operands", scaled(bytes, "B"), scaled(bytes * processors, "B"));
  return text + row("  sent", scaled(sent, "B"), scaled(sent * processors, "B"));
}

/// The lines whose work several processors do alike: a twentieth of a step's work and more.
std::string repeated(const cost::Cost& cost) {
  std::string text;
  for (const cost::RepeatedWork& work : cost.repeated) {
    if (work.flops_per_processor < cost.flops_per_processor / 20) break;
    text += fmt::format("  {:>5}  {:<14}  {:>12}  {:<8}  {}\n", work.times, work.axes,
                        scaled(work.flops_per_processor, "FLOP"), work.phase, work.source);
  }
  return text.empty() ? "" : "\n  times  duplicated along      on each  phase\n" + text;
}

/// " of 4 micro-batches (measure, accumulate on each; apply)"
std::string microbatches_text(const Module& module) {
  std::int64_t microbatches = 1;
  std::string each, once;
  for (const StepProgram& s : module.step) {
    microbatches = std::max(microbatches, s.microbatches);
    std::string& list = s.microbatches > 1 ? each : once;
    list += (list.empty() ? "" : ", ") + s.program;
  }
  if (microbatches == 1) return "";
  return " of " + std::to_string(microbatches) + " micro-batches (" + each + " on each; " + once +
         ")";
}

/// Prints the whole report; its JSON.
JsonFields report(const Session& session, const Compiled& compiled, const Module& module,
                  const cost::Cost& found, const Target* target,
                  const predict::Prediction* prediction) {
  const bool step = !module.step.empty();
  const std::string title =
      compiled.model.path + " on " + mesh_text(module.mesh) +
      (step ? ", one training step" + microbatches_text(module) : ", one run");
  session.print(wrapped(title, {.indent = 2}) + "\n\n");
  JsonFields fields = {{"", cost::to_json(found, prediction ? carried_json(*prediction)
                                                            : std::vector<JsonFields>{})}};
  if (session.options.symbolic) {
    const cost::Formulas formulas = cost::formulas_of(module, found);
    session.print(session.options.leading ? leading_text(formulas) : formulas_text(formulas));
    fields.emplace_back("formulas", cost::to_json(formulas));
  } else {
    session.print(totals(found));
  }
  if (prediction) {
    session.print(prediction_text(*prediction, *target, compiled.model));
    append(fields, prediction_json(*prediction, *target, compiled.model));
  }
  if (!session.options.symbolic)
    session.print(peak_table(found.peak) + traffic_text(found.collectives, prediction) +
                  repeated(found));
  if (session.options.counters) {
    const auto counters = cost::mesh_tensorflow_counters(module);
    session.print(counters_text(counters));
    fields.emplace_back("counters", json_texts(counters));
  }
  if (!session.options.passes) return fields;
  const std::vector<PassRow> passes =
      pass_rows(session.sources, compiled.model, compiled.assignment);
  session.print(pass_table(passes));
  fields.emplace_back("passes", pass_json(passes));
  return fields;
}

}  // namespace

int cost(Session& session) {
  int status = exit_done;
  if (session.options.leading && !session.options.symbolic)
    return session.usage_error("`--leading` is about formulas", "give it with --symbolic");
  if (refuses_rules(session, status)) return status;
  if (session.options.layouts.size() > 1) return cost_of_several(session);
  const std::optional<std::vector<BudgetLimit>> budget = read_budget(session);
  if (!budget) return session.finish(exit_usage);
  std::optional<Compiled> compiled = compile(session, {}, status);
  if (!compiled) return session.finish(status);
  // Which scores are worth a tile depends on sizes, and formulas hold for all of them.
  compiled->assignment.options.store_scores |= session.options.symbolic;
  if (compiled->assignment.stages) return cost_of_stages(session, *compiled, *budget);
  status = exit_done;
  const std::optional<Target> target =
      find_target(session, compiled->hardware, compiled->assignment.mesh, status);
  if (status != exit_done) return session.finish(status);
  if (!can_judge(session, *budget, target.has_value())) return session.finish(exit_usage);
  const std::optional<Module> module =
      lower_for(session, compiled->model, compiled->assignment, {}, status);
  if (!module) return session.finish(status);
  std::optional<Costed> costs = costed_run(session, compiled->model, *module,
                                           target ? target->machine.chip.detail() : cost::Detail{});
  if (!costs) return session.finish(exit_usage);
  const cost::Cost& found = costs->cost;
  warn_useless(session, compiled->model, compiled->assignment, compiled->settings, found,
               session.diagnostics);
  std::optional<predict::Prediction> prediction;
  if (target) prediction = predict::predict(found, target->machine, target->mapping);
  const predict::Prediction* times = prediction ? &*prediction : nullptr;
  JsonFields fields =
      report(session, *compiled, *module, found, target ? &*target : nullptr, times);
  const Spent spent{found.most_memory(), static_cast<double>(found.sent_per_processor()),
                    times ? times->step : 0};
  status = judge_budget(session, *budget, spent, fields);
  return session.finish(status, std::move(fields));
}

}  // namespace mtfc::cli
