// mtfc eval: losses and metrics of a checkpoint over the evaluation data.
#include <functional>
#include <optional>

#include "cli/options/commands.h"
#include "cli/run/execution.h"
#include "cli/run/not_finite_search.h"
#include "cli/session/compile.h"
#include "cli/session/from_checkpoint.h"
#include "cli/session/programs.h"
#include "cli/session/train_plan.h"
#include "messages/table.h"
#include "messages/wrap.h"
#include "support/json.h"
#include "support/program_names.h"
#include "support/text.h"
#include "train/loop/evaluate.h"
#include "train/loop/finite.h"
#include "train/loop/interrupt.h"
#include "train/loop/log_lines.h"

namespace mtfc::cli {
namespace {

/// Losses first: the total, then each under its name, then metrics.
std::string metrics_table(const std::vector<runtime::Fetched>& fetched) {
  std::vector<std::vector<std::string>> rows;
  for (const runtime::Fetched& item : fetched)
    rows.push_back({item.name, rounded(item.value.scalar(), 6)});
  return table_text(rows);
}

JsonFields json_result(const Session& session, const std::vector<runtime::Fetched>& fetched) {
  JsonLine line;
  line.field("checkpoint", session.checkpoint->tensors.path());
  line.field("steps", session.checkpoint->record.state.steps);
  runtime::add_losses(line, "", fetched);
  runtime::add_metrics(line, fetched);
  return {{"", line.text()}};
}

/// The first loss, parameter or state that is infinite or not a number. Asked of all ranks.
std::optional<std::string> not_finite(runtime::Engine& engine,
                                      const std::vector<runtime::Fetched>& fetched) {
  const std::optional<std::string> variable = runtime::find_not_finite(engine);
  const std::optional<std::string> loss = runtime::find_not_finite_loss(fetched, "the");
  if (loss && variable) return *loss + "; " + *variable;
  return loss ? loss : variable;
}

/// Where what is not finite began.
using Search = std::function<NotFiniteSearch::Found()>;

/// What happened when it is over.
int finish(Session& session, const Model& model, Execution& execution,
           const runtime::Evaluation& evaluation, const Search& search) {
  if (evaluation.interrupted)
    return session.finish(exit_signal + runtime::InterruptGuard::signal());
  if (!evaluation.status) {
    report_data_failure(session, model, evaluation.status.error());
    return session.finish(exit_failed);
  }
  session.print(metrics_table(evaluation.fetched));
  const std::optional<std::string> bad = not_finite(execution.engine(), evaluation.fetched);
  if (bad) {
    const NotFiniteSearch::Found found = search();
    runtime::Error error{
        *bad + ", with the variables of " + session.checkpoint->tensors.path(), {}, {}};
    if (!found.advice.empty()) error.helps.push_back(found.advice);
    session.report_failure(DiagKind::run_failed, error, found.labels);
  }
  const int status = execution.status_of_replicas(session, bad ? exit_not_finite : exit_done);
  return session.finish(status, json_result(session, evaluation.fetched));
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
  runtime::Result<runtime::Feeder> feeder =
      runtime::open_feeder(make_train_plan(session, model), runtime::Split::eval);
  if (!feeder) {
    report_data_failure(session, model, feeder.error());
    return session.finish(exit_failed);
  }
  if (feeder->eval_batches() == 0) {
    const std::string why = feeder->too_little_to_evaluate();
    return session.usage_error("there is no evaluation data" + (why.empty() ? "" : ": " + why),
                               "`holdout=0.1` or `eval=\"FILE\"` in the data source gives some");
  }
  for (const std::string& sentence : feeder->left_out_of_evaluation()) session.note(sentence);
  const Facts facts = session.ranks ? feeder->facts() : Facts();
  std::optional<Execution> execution =
      Execution::make(session, std::move(*programs), compiled->assignment, status, facts);
  if (!execution) return session.finish(status);
  const bool loaded = load_checkpoint(session, model, execution->engine(), runtime::Load::weights);
  if (!session.all(loaded)) return session.finish(exit_failed);
  session.progress("evaluating " + in_one_piece(session.checkpoint->tensors.path()) + " on " +
                   execution->text());
  runtime::read_for(*feeder, execution->engine());
  runtime::read_on_threads_of(execution->engine(), *feeder);
  const runtime::InterruptGuard guard;
  const auto search = [&] {
    NotFiniteSearch finder(session, *compiled, request, *execution);
    finder.run([&](runtime::Engine& engine) { runtime::evaluate(engine, *feeder); });
    NotFiniteSearch::Found found = finder.found();
    if (auto input = runtime::not_finite_input_of_evaluation(execution->engine(), *feeder))
      found.advice = std::move(*input);
    return found;
  };
  return finish(session, model, *execution, runtime::evaluate(execution->engine(), *feeder),
                search);
}

}  // namespace mtfc::cli
