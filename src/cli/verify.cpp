// mtfc verify: the same steps under the layout and on one processor; the largest differences, and
// whether rounding explains them.
#include <algorithm>

#include "backends/execute/simulator.h"
#include "backends/verify/tile_names.h"
#include "backends/verify/trial.h"
#include "cli/options/commands.h"
#include "cli/run/execution.h"
#include "cli/run/verdict.h"
#include "cli/session/compile.h"
#include "cli/session/programs.h"
#include "cli/session/train_plan.h"
#include "ir/in_f64.h"
#include "lowering/pipeline.h"
#include "messages/wrap.h"
#include "train/loop/evaluate.h"
#include "train/loop/train_loop.h"

namespace mtfc::cli {
namespace {

constexpr std::int64_t default_steps = 3;

bool steps_given(const Options& options) {
  return std::any_of(options.settings.begin(), options.settings.end(),
                     [](const KeyValue& setting) { return setting.first == "train.steps"; });
}

/// "3 steps", "3 steps and step 667"
std::string steps_text(const std::vector<std::int64_t>& steps) {
  const auto count = static_cast<std::int64_t>(steps.size());
  if (count == 0 || steps.back() < count) return counted(count, "step");
  return counted(count - 1, "step") + " and step " + std::to_string(steps.back() + 1);
}

class Verification {
 public:
  Verification(Session& session, const Compiled& compiled, Programs split, Module whole)
      : session_(session),
        model_(compiled.model),
        assignment_(compiled.assignment),
        split_(std::move(split)),
        whole_(std::move(whole)),
        plan_(make_train_plan(compiled.model)),
        plan_of_whole_(plan_) {
    plan_.step = split_.step();
    plan_of_whole_.step = whole_.step;
  }

  int run() {
    const std::vector<std::int64_t> steps = backends::compared_steps(
        steps_given(session_.options) ? model_.settings.steps : default_steps,
        model_.settings.steps);
    std::optional<Execution> execution = Execution::make(
        session_, split_, assignment_, status_, {{"the number of steps", steps_text(steps)}});
    if (!execution) return session_.finish(status_);
    session_.progress("verifying " + in_one_piece(model_.path) + ": " + steps_text(steps) + " on " +
                      execution->text() + " and on one processor");
    if (execution->text() == "one processor")
      session_.note("both are the same program: `--layout` or `--rules` give one to compare");
    runtime::Result<runtime::Feeder> feeder = runtime::open_feeder(plan_);
    if (execution->engine().any(!feeder)) {
      if (!feeder) report_data_failure(session_, model_, feeder.error());
      return session_.finish(exit_failed);
    }
    if (!same_data(session_, *feeder)) return session_.finish(exit_failed);
    const backends::Sections sections{*feeder, steps,
                                      runtime::can_evaluate(execution->engine(), *feeder)};
    const double unit = rounding_unit(split_);
    const bool judged = !session_.options.tolerance;
    std::vector<backends::Difference> own, f64;
    if (!compare(std::move(*execution), split_, whole_, sections, own))
      return session_.finish(status_);
    const Programs split64 = in_f64(split_);
    if (judged && unit == rounding_unit(split64)) f64 = own;
    if (judged && f64.empty() &&
        !compare(Execution::make_further(session_, split64, assignment_), split64, in_f64(whole_),
                 sections, f64))
      return session_.finish(status_);
    return judge(verify_rows(own, f64, session_.options.tolerance, rounds_to_16_bits(split_)));
  }

 private:
  /// False: reported; the command ends with `status_`.
  bool compare(Execution execution, const Programs& split, const Module& whole,
               const backends::Sections& sections, std::vector<backends::Difference>& differences) {
    backends::Simulator one(whole, {session_.options.threads, false});
    runtime::Result<std::vector<backends::Difference>> made = backends::run_trial(
        {execution.engine(), plan_}, {one, plan_of_whole_}, sections, rounding_unit(split));
    if (!made) {
      report_data_failure(session_, model_, made.error());
      status_ = exit_failed;
      return false;
    }
    differences = std::move(*made);
    status_ = execution.status_of_replicas(session_, exit_done);
    return status_ == exit_done;
  }

  int judge(const std::vector<VerifyRow>& rows) {
    session_.print(verify_table(rows));
    const auto differing =
        std::count_if(rows.begin(), rows.end(), [](const VerifyRow& row) { return row.differs(); });
    const auto rounded = std::count_if(
        rows.begin(), rows.end(), [](const VerifyRow& row) { return row.far() && !row.differs(); });
    if (rounded > 0)
      session_.print("\n" + counted(rounded, "tensor") +
                     " beyond the tolerance: rounding, since in f64 the same programs agree\n");
    if (differing > 0) {
      // On both streams: of a long table often only the end is read.
      const std::string what =
          counted(differing, "tensor") + " under the layout " +
          (differing == 1 ? "differs" : "differ") + " from one processor beyond " +
          (session_.options.tolerance ? "the tolerance" : "what rounding explains");
      session_.print("\n" + what + "\n");
      session_.report(diag(DiagKind::results_differ, what));
    }
    const bool unproved = report_not_finite(rows);
    return session_.finish(differing > 0 ? exit_failed
                           : unproved    ? exit_not_finite
                                         : exit_done,
                           {{"differences", verify_json(rows)}});
  }

  /// What is not finite in both is equal, which proves nothing. False: nothing that must be finite.
  bool report_not_finite(const std::vector<VerifyRow>& rows) {
    std::vector<std::string> bad, others;
    for (const VerifyRow& row : rows)
      if (row.proves_nothing())
        bad.push_back(row.own.name);
      else if (!row.differs() && row.in_both() != NotFinite::none)
        others.push_back(row.own.name);
    const std::string where = " not finite under the layout and on one processor alike";
    if (bad.empty() && !others.empty())
      session_.note(first_of(others) + where +
                    ", which proves nothing; all losses, parameters and "
                    "states are finite" +
                    (session_.options.tolerance ? "" : " in f64"));
    if (bad.empty()) return false;
    const std::string what = first_of(bad) + where + ", so that nothing is proved";
    session_.print("\n" + what + "\n");
    session_.report(
        diag(DiagKind::run_failed, what)
            .help("`mtfc train` of the same model names the operation with which it begins"));
    return true;
  }

  /// "`loss` and 5 more tensors are"
  static std::string first_of(const std::vector<std::string>& names) {
    const std::string first = "`" + names.front() + "`";
    if (names.size() == 1) return first + " is";
    return first + " and " + counted(names.size() - 1, "more tensor") + " are";
  }

  Session& session_;
  const Model& model_;
  const Assignment& assignment_;
  const Programs split_;
  const Module whole_;
  runtime::TrainPlan plan_, plan_of_whole_;
  int status_ = exit_done;
};

}  // namespace

int verify(Session& session) {
  int status = exit_done;
  lowering::Request request;
  request.dump_tensors = true;
  std::optional<Compiled> compiled = compile(session, request, status);
  if (!compiled) return session.finish(status);
  const Model& model = compiled->model;
  // What is verified is what is trained.
  request.not_dumped = backends::names_in_tiles(model, lowering::lower(model, Assignment{}, {}));
  if (!compiled->assignment.stages)
    request.not_dumped.merge(
        backends::names_in_tiles(model, lowering::lower(model, compiled->assignment, {})));
  std::optional<Programs> split =
      programs_for(session, model, compiled->assignment, request, status);
  if (!split) return session.finish(status);
  if (split->step().empty())
    return session.usage_error("the model has no loss, so there are no steps to compare");
  return Verification(session, *compiled, std::move(*split),
                      lowering::lower(model, Assignment{}, request))
      .run();
}

}  // namespace mtfc::cli
