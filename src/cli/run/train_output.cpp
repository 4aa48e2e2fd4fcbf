#include "cli/run/train_output.h"

#include <limits>

#include "comm/gather_bytes.h"
#include "cost/cost.h"
#include "support/text.h"
#include "train/loop/log_lines.h"
#include "train/loop/step.h"

namespace mtfc::cli {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();  // null in JSON

/// What every rank has read of the data; called by all of them.
std::string json_read(runtime::net::Network& network, const runtime::Feeder::Amount& mine) {
  const std::string object =
      json_object({{"examples", json(mine.examples)}, {"bytes", json(mine.bytes)}});
  return json_array(runtime::net::gather(network, object));
}

/// What a processor of each stage has counted; called by every rank.
std::string json_stages(const Execution& execution, runtime::net::Network& network,
                        const std::vector<StepProgram>& step) {
  const runtime::PipelinePlan& pipeline = execution.pipeline();
  std::vector<std::string> mine, all;
  for (int stage = 0; stage < pipeline.stages; ++stage) {
    cost::Cost processors;
    processors.processors = pipeline.processors[static_cast<std::size_t>(stage)];
    mine.push_back(cost::to_json(execution.counters_of(stage, step), processors));
  }
  const std::vector<std::string> by_rank =
      runtime::net::gather(network, runtime::net::joined(mine));
  for (int stage = 0; stage < pipeline.stages; ++stage) {
    const auto rank = static_cast<std::size_t>(by_rank.size() > 1 ? pipeline.first_rank(stage) : 0);
    all.push_back(runtime::net::parted(by_rank[rank])[static_cast<std::size_t>(stage)]);
  }
  return json_array(all);
}

/// How the run stands, without a loss before the first step; of what it has not run itself as the
/// checkpoint says.
std::string json_state(const runtime::TrainResult& result) {
  JsonLine line, metrics;
  line.field("steps", result.steps);
  if (result.losses.empty())
    line.field("loss", result.steps > 0 ? result.loss : not_known);
  else
    runtime::add_losses(line, "", result.losses);
  if (!result.evaluation.empty()) {
    runtime::add_losses(line, "eval_", result.evaluation);
    runtime::add_metrics(line, result.evaluation);
  } else if (result.evaluated) {
    for (const auto& [name, value] : result.metrics) metrics.field(name, value);
    line.field("eval_loss", result.eval_loss).field("metrics", metrics);
  }
  return line.text();
}

}  // namespace

std::string train_summary(const runtime::TrainResult& result) {
  std::string text = counted(result.steps, "step") + ": loss " + rounded(result.loss, 4);
  if (result.evaluated) text += "; eval loss " + rounded(result.eval_loss, 4);
  for (const auto& [name, value] : result.metrics) text += ", " + name + " " + rounded(value, 4);
  return text + "\n";
}

JsonFields train_json(const Session& session, const runtime::TrainResult& result,
                      const runtime::TrainPlan& plan, Execution& execution) {
  JsonFields fields = {{"", json_state(result)}};
  fields.emplace_back("read", json_read(execution.engine().network(), result.read));
  if (execution.is_pipeline()) {
    const std::vector<std::int64_t> held = execution.most_held();
    fields.emplace_back("stages", json(static_cast<std::int64_t>(held.size())));
    fields.emplace_back("microbatches_held", json_list(held));
    fields.emplace_back("by_stage",
                        json_stages(execution, execution.engine().network(), plan.step));
    return fields;
  }
  const runtime::Counters counted = runtime::StepRunner(plan.step).counters(execution.engine());
  const cost::Cost cost = cost::cost_of_step(execution.module(), session.sources);
  fields.emplace_back("", cost::to_json(counted, cost));
  return fields;
}

}  // namespace mtfc::cli
