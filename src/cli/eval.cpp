// mtfc eval: losses and metrics of a checkpoint over the evaluation data.
#include <fmt/core.h>

#include <cmath>
#include <optional>

#include "cli/commands.h"
#include "cli/compile.h"
#include "cli/execution.h"
#include "cli/from_checkpoint.h"
#include "cli/train_plan.h"
#include "support/json.h"
#include "support/program_names.h"
#include "support/table.h"
#include "support/wrap.h"
#include "train/loop/evaluate.h"
#include "train/loop/interrupt.h"

namespace mtfc::cli {
namespace {

/// Losses first: the total, then each under its name, then metrics.
std::string metrics_table(const std::vector<runtime::Fetched>& fetched) {
  std::vector<std::vector<std::string>> rows;
  for (const runtime::Fetched& item : fetched)
    rows.push_back({item.name, fmt::format("{:.6g}", item.value.scalar())});
  return table_text(rows);
}

/// A float's shortest decimal, as in logs.
std::string json_number(const runtime::HostTensor& value) {
  const double number = value.scalar();
  return value.dtype == DType::f32 ? json(static_cast<float>(number)) : json(number);
}

JsonFields json_result(const Session& session, const std::vector<runtime::Fetched>& fetched) {
  JsonFields losses, metrics;
  std::string total = "null";
  bool finite = true;
  for (const runtime::Fetched& item : fetched) {
    finite = finite && std::isfinite(item.value.scalar());
    if (item.kind == "loss" && item.name == "loss")
      total = json_number(item.value);
    else
      (item.kind == "loss" ? losses : metrics).emplace_back(item.name, json_number(item.value));
  }
  JsonFields fields = {{"checkpoint", json(session.checkpoint->tensors.path())},
                       {"steps", json(session.checkpoint->record.state.steps)},
                       {"loss", total}};
  if (!losses.empty()) fields.emplace_back("losses", json_object(losses));
  fields.emplace_back("metrics", json_object(metrics));
  if (!finite) fields.emplace_back("not_finite", "true");
  return fields;
}

/// What happened when it is over.
int finish(Session& session, const Model& model, const runtime::Evaluation& evaluation) {
  if (evaluation.interrupted) return session.finish(128 + runtime::InterruptGuard::signal());
  if (!evaluation.status) {
    report_data_failure(session, model, evaluation.status.error());
    return session.finish(exit_failed);
  }
  session.print(metrics_table(evaluation.fetched));
  return session.finish(exit_done, json_result(session, evaluation.fetched));
}

}  // namespace

int eval(Session& session) {
  int status = exit_done;
  lowering::Request request;
  request.evaluation = true;
  const std::optional<Compiled> compiled = compile(session, request, status);
  if (!compiled) return session.finish(status);
  const Model& model = compiled->model;
  std::optional<Programs> programs =
      programs_for(session, model, compiled->assignment, request, status);
  if (!programs) return session.finish(status);
  if (!programs->has(program_names::eval))
    return session.usage_error("the model has no loss, so there is nothing to evaluate",
                               "add `loss E`, or compute tensors with `mtfc run`");
  runtime::Result<runtime::Feeder> feeder = runtime::open_feeder(make_train_plan(session, model));
  if (!feeder) {
    report_data_failure(session, model, feeder.error());
    return session.finish(exit_failed);
  }
  if (feeder->eval_batches() == 0)
    return session.usage_error("there is no evaluation data",
                               "`holdout=0.1` or `eval=\"FILE\"` in the data source gives some");
  const Facts facts = session.ranks ? feeder->facts() : Facts();
  std::optional<Execution> execution =
      Execution::make(session, std::move(*programs), compiled->assignment, status, facts);
  if (!execution) return session.finish(status);
  const bool loaded = load_checkpoint(session, model, execution->engine(), runtime::Load::weights);
  if (!session.all(loaded)) return session.finish(exit_failed);
  session.note("evaluating " + in_one_piece(session.checkpoint->tensors.path()) + " on " +
               execution->text());
  runtime::read_for(*feeder, execution->engine());
  runtime::read_on_threads_of(execution->engine(), *feeder);
  const runtime::InterruptGuard guard;
  return finish(session, model, runtime::evaluate(execution->engine(), *feeder));
}

}  // namespace mtfc::cli
