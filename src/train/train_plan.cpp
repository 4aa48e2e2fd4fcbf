#include "train/train_plan.h"

#include <type_traits>

#include "data/source_facts.h"
#include "sources/source_table.h"

namespace mtfc::runtime {

namespace {

std::string value_text(const SourceSpec::Value& value) {
  const auto text = [](const auto& of) -> std::string {
    if constexpr (std::is_same_v<std::decay_t<decltype(of)>, std::string>)
      return of;
    else
      return std::to_string(of);
  };
  return std::visit(text, value);
}

/// Paths may be others: what lies there is compared.
std::string call_text(const SourceSpec& source) {
  const SourceRow* row = find_source(source.function);
  std::string text = source.function + "(";
  for (const auto& [name, value] : source.args)
    if (row == nullptr || !row->is_path(name)) text += " " + name + "=" + value_text(value);
  return text + " )";
}

}  // namespace

Facts facts_of(const TrainPlan& plan) {
  Facts facts;
  const auto number = [&](const char* name, auto value) {
    facts.push_back({std::string("`train.") + name + "`", std::to_string(value)});
  };
  number("steps", plan.steps);
  number("epochs", plan.epochs);
  number("seed", plan.seed);
  number("eval_every", plan.eval_every);
  number("checkpoint_every", plan.checkpoint_every);
  number("keep", plan.keep);
  facts.push_back({"`train.checkpoint`", std::string(name(plan.checkpoint))});
  facts.push_back({"`train.on_nan`", std::string(name(plan.on_nan))});
  std::string programs;
  for (const StepProgram& step : plan.step)
    programs += " " + step.program + "=" + std::to_string(step.microbatches);
  facts.push_back({"the step", programs});
  facts.push_back(
      {"the micro-batches of evaluations", std::to_string(plan.evaluation_microbatches)});
  for (const SourceSpec& source : plan.sources) {
    facts.push_back({"data source `" + source.name + "`", call_text(source)});
    if (!source.tokens.empty())
      facts.push_back(
          {"the recorded vocabulary of `" + source.name + "`", digest_of(source.tokens)});
  }
  return facts;
}

Facts facts_of_files(const TrainPlan& plan) {
  Facts facts;
  for (const InitialFile& file : plan.initial)
    facts.push_back(
        {"`" + file.path + "`, the initial values of parameters", file_fact(file.path)});
  return facts;
}

Result<Feeder> open_feeder(const TrainPlan& plan, Split split) {
  return Feeder::open(
      {plan.sources, plan.inputs, plan.evaluation_microbatches, plan.steps, plan.epochs, plan.seed},
      split);
}

void read_for(Feeder& feeder, const Engine& engine) {
  feeder.read_parts([&](const std::string& input, const std::vector<std::int64_t>& extents) {
    return engine.input_part(input, extents);
  });
}

void read_on_threads_of(Engine& engine, Feeder& feeder) {
  feeder.spread_by([&engine](std::int64_t count, const std::function<void(std::int64_t)>& task) {
    engine.spread(count, task);
  });
}

}  // namespace mtfc::runtime
