#include "train/loop/train_loop.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>

#include "comm/agreement.h"
#include "comm/gather_bytes.h"
#include "support/seconds_since.h"
#include "support/text.h"
#include "train/loop/evaluate.h"
#include "train/loop/finite.h"
#include "train/loop/initialise.h"
#include "train/loop/interrupt.h"
#include "train/loop/log_lines.h"
#include "train/loop/origin_search.h"
#include "train/loop/progress.h"
#include "train/loop/snapshot.h"
#include "train/loop/step.h"

namespace mtfc::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// "step 250: eval loss 1.93, accuracy 0.41"
std::string eval_summary(const TrainState& state) {
  std::string text =
      "step " + std::to_string(state.steps) + ": eval loss " + rounded(state.eval_loss, 4);
  for (const auto& [name, value] : state.metrics) text += ", " + name + " " + rounded(value, 4);
  return text;
}

/// One run. Every member function that fails has put the reason into result_.
class Run {
 public:
  Run(Engine& engine, const TrainPlan& plan, const TrainHooks& hooks)
      : engine_(engine), plan_(plan), hooks_(hooks), step_(plan.step) {}

  TrainResult train() {
    run();
    if (feeder_) result_.read = feeder_->amount();
    for (const Fetched& item : fetched_)
      if (item.kind == "loss" && !result_.failed()) result_.losses.push_back(item);
    return result_;
  }

 private:
  void run() {
    const InterruptGuard guard;
    if (!open()) return;
    // A checkpoint has all variables that are to have a value before the first step.
    if (!hooks_.resume && !agreed(initialise(engine_, plan_.initial))) return;
    InterruptGuard::end_at_once(false);
    if (!start()) return;
    progress_.emplace(hooks_.progress && engine_.is_root(), result_.steps, steps_);
    if (resumed_in_step_ && !finish_step()) return;
    while (result_.steps < steps_)
      if (!one_step()) return;
    if (!result_.evaluated_now && !evaluate()) return;
    save();
  }

  bool fail(const Error& error) {
    result_.status = exit_failed;
    result_.error = error;
    return false;
  }

  /// Every rank learns whether any failed: otherwise the others would wait for it forever.
  bool agreed(const Status& status) {
    const Status all = net::agreed(engine_.network(), status);
    return all || fail(all.error());
  }

  enum class Next : std::int64_t { step, save_and_step, end_by_signal, fail };

  /// The same, once in a step, and of signals and clocks, too: ranks may have got different ones.
  bool go_on(const Status& status) {
    const Next mine = !status || !logged_             ? Next::fail
                      : InterruptGuard::signal() != 0 ? Next::end_by_signal
                      : is_overdue()                  ? Next::save_and_step
                                                      : Next::step;
    switch (static_cast<Next>(engine_.network().highest(static_cast<std::int64_t>(mine)))) {
      case Next::step:
        return true;
      case Next::save_and_step:
        return save();
      case Next::end_by_signal:
        return interrupted();
      default:
        return agreed(status ? logged_ : status);
    }
  }

  /// Whether too much would be lost; the root's clock counts.
  bool is_overdue() const {
    if (plan_.checkpoint_every > 0 || saved_ || !hooks_.save || !engine_.is_root()) return false;
    return seconds_since(last_save_) >= plan_.checkpoint_seconds;
  }

  bool open() {
    Result<Feeder> feeder = open_feeder(plan_);
    if (!agreed(feeder ? Status() : Status(feeder.error()))) return false;
    feeder_.emplace(std::move(*feeder));
    if (!same_everywhere()) return false;
    read_for(*feeder_, engine_);
    read_on_threads_of(engine_, *feeder_);
    if (hooks_.opened) hooks_.opened(*feeder_);
    steps_ = plan_.steps;
    if (steps_ > 0 || plan_.epochs <= 0) return true;
    const Result<std::int64_t> steps = feeder_->steps_of(plan_.epochs);
    if (!steps) return fail(steps.error());
    steps_ = *steps;
    return true;
  }

  /// Ranks that do other things would wait for each other, and those with other data train
  /// something else.
  bool same_everywhere() {
    if (engine_.network().ranks() == 1) return true;
    Facts facts = feeder_->facts();
    for (const Facts& more : {facts_of(plan_), hooks_.resume ? Facts() : facts_of_files(plan_)})
      facts.insert(facts.end(), more.begin(), more.end());
    const std::string differs = net::difference(engine_.network(), facts);
    return differs.empty() || fail(net::differing_run(differs));
  }

  /// The first checkpoint, or what the last one says.
  bool start() {
    if (!hooks_.resume) return save();
    Result<TrainState> state = hooks_.resume();
    if (!agreed(state ? Status() : Status(state.error()))) return false;
    static_cast<TrainState&>(result_) = std::move(*state);
    if (const std::optional<std::string> bad = find_not_finite(engine_))
      return end_not_finite({*bad + " in the checkpoint", {"resume from an earlier one"}, {}});
    // The run was interrupted before the evaluation that follows this step.
    resumed_in_step_ = result_.steps > 0 && !result_.evaluated_now && is_due(plan_.eval_every);
    return true;
  }

  bool one_step() {
    const Clock::time_point start = Clock::now();
    if (!go_on(feeder_->train(result_.steps, feeds_))) return false;
    if (plan_.on_nan == OnNan::skip) snapshot_.take(engine_);
    fetched_.clear();
    step_.run(engine_, feeds_, fetched_);
    const bool skipped = plan_.on_nan == OnNan::skip && undo_if_not_finite();
    const double seconds = seconds_since(start);
    ++result_.steps;
    result_.evaluated_now = false;
    saved_ = false;
    return record(seconds, skipped) && finish_step();
  }

  /// Whether the step leads to values that are not finite; then the variables are as before it.
  bool undo_if_not_finite() {
    const bool bad = !outcome_of_step(engine_, fetched_).is_finite();
    if (bad) snapshot_.restore(engine_);
    skipped_in_a_row_ = bad ? skipped_in_a_row_ + 1 : 0;
    return bad;
  }

  /// Writes the step down and stops at a loss that is not a number.
  bool record(double seconds, bool skipped) {
    result_.loss = loss_of(fetched_);
    if (engine_.is_root()) {
      log(step_line(result_.steps, fetched_, seconds, skipped));
      if (hooks_.after_step) hooks_.after_step(result_.steps, fetched_);
    }
    progress_->step(result_.steps, result_.loss, seconds);
    no_scale_in_a_row_ = skipped_by_loss_scale(fetched_) ? no_scale_in_a_row_ + 1 : 0;
    if (no_scale_in_a_row_ == most_skipped)
      return end_not_finite({"gradients of the last " + std::to_string(most_skipped) +
                                 " steps were not finite under any loss scale, up to step " +
                                 std::to_string(result_.steps),
                             {},
                             {}});
    if (skipped && skipped_in_a_row_ < most_skipped) return true;
    if (skipped)
      return fail_not_finite("the last " + std::to_string(most_skipped) +
                             " steps all led to values that are not finite, up to step " +
                             std::to_string(result_.steps));
    if (std::isfinite(result_.loss)) return true;
    return fail_not_finite("the loss is " + std::string(kind_of_not_finite(result_.loss)) +
                           " at step " + std::to_string(result_.steps));
  }

  bool fail_not_finite(std::string message, std::vector<std::string> helps = {}) {
    if (progress_ && seconds_since(last_save_) > 2)
      progress_->line("looking for where it began: the steps since then once more");
    OriginSearch search(engine_, plan_, hooks_, *feeder_, step_);
    const std::optional<OriginSearch::Origin> origin = search.run(result_.steps);
    if (origin) message += origin_text(*origin, message);
    const Feeds& feeds = origin ? search.feeds() : feeds_;
    if (const auto input = find_not_finite_input(feeds, engine_.network()))
      helps.push_back(*input + " in that step: see what its source reads");
    else if (result_.steps == 0)
      helps.emplace_back("see its initial values, in the model or in the file of `init`");
    else
      advise(helps, search.advice(), origin && origin->step == 0 && !std::isfinite(result_.loss));
    return end_not_finite({message, helps, {}});
  }

  /// `operation`: what to do about that with which it began. No learning rate has a part in the
  /// loss of the first step.
  void advise(std::vector<std::string>& helps, const std::string& operation,
              bool first_loss) const {
    if (!operation.empty()) helps.push_back(operation);
    if (plan_.loss_scale > 1)
      helps.emplace_back(
          "the loss scale may be too large: a smaller one, or `dynamic()`, finds "
          "out; else a smaller learning rate, or `clip`");
    else if (first_loss && operation.empty())
      helps.emplace_back(
          "no step was made before: see how large the inputs and the first values are for the type "
          "in which this is computed");
    else if (!first_loss)
      helps.emplace_back("a smaller learning rate, or `clip` in `train { }`, often helps");
  }

  bool end_not_finite(const Error& error) {
    fail(error);
    result_.status = exit_not_finite;
    return false;
  }

  /// "; it began in step 7, after which state `avg` is not a number"; nothing that is said already.
  std::string origin_text(const OriginSearch::Origin& origin, const std::string& said) const {
    const auto& [bad_loss, variable] = origin.outcome;
    if (bad_loss && origin.step + 1 == result_.steps) return "";
    std::string text = "; it began in step " + std::to_string(origin.step + 1);
    if (bad_loss) return text + ", the loss of which is not finite";
    return said.starts_with(*variable) ? text : text + ", after which " + *variable;
  }

  /// What is not finite is never saved over what is good.
  bool keep_apart(const std::string& what) {
    std::vector<std::string> helps;
    if (hooks_.save_apart) {
      const Result<std::string> apart = hooks_.save_apart(result_);
      if (apart) helps.push_back("the run as it is now is kept apart: " + *apart);
    }
    return fail_not_finite(what + when(), std::move(helps));
  }

  std::string when() const {
    return result_.steps == 0 ? " before the first step"
                              : " after step " + std::to_string(result_.steps);
  }

  bool is_due(std::int64_t every) const { return every > 0 && result_.steps % every == 0; }

  /// The evaluation and the checkpoint that follow the step.
  bool finish_step() {
    if (is_due(plan_.eval_every) && !evaluate()) return false;
    return !is_due(plan_.checkpoint_every) || result_.steps == steps_ || save();
  }

  bool interrupted() {
    const std::int64_t signal = engine_.network().highest(InterruptGuard::signal());
    if (!saved_ && !save()) return false;
    result_.status = exit_signal + static_cast<int>(signal);
    return false;
  }

  bool save() {
    if (const std::optional<std::string> bad = find_not_finite(engine_)) return keep_apart(*bad);
    const Status saved = hooks_.save ? hooks_.save(result_) : Status();
    saved_ = agreed(saved ? logged_ : saved);
    last_save_ = Clock::now();
    return saved_;
  }

  /// A failure is reported at the next point where all ranks meet.
  void log(const std::string& line) {
    if (!hooks_.log || !logged_) return;
    logged_ = hooks_.log(line);
  }

  bool evaluate() {
    if (!can_evaluate(engine_, *feeder_)) return true;
    const Evaluation evaluation = runtime::evaluate(engine_, *feeder_);
    if (evaluation.interrupted) return interrupted();
    if (!evaluation.status) return fail(evaluation.status.error());
    const std::optional<std::string> bad =
        find_not_finite_loss(evaluation.fetched, "the evaluation's");
    if (!engine_.any(bad.has_value())) {
      record_evaluation(evaluation.fetched);
      // A loss need not show it.
      const std::optional<std::string> variable = find_not_finite(engine_);
      return !variable || keep_apart(*variable);
    }
    return fail_evaluation(bad.value_or("a loss of the evaluation is not finite"),
                           evaluation.fetched);
  }

  /// Variables that are finite are saved, as before the evaluation.
  bool fail_evaluation(const std::string& bad, const std::vector<Fetched>& fetched) {
    const bool good = !find_not_finite(engine_);
    if (good && !saved_ && !save()) return false;
    record_evaluation(fetched);
    if (!good) return fail_not_finite(bad + when());
    std::string advice;
    if (hooks_.before_bad)
      advice = hooks_.before_bad([&](Engine& engine) { runtime::evaluate(engine, *feeder_); });
    std::vector<std::string> helps;
    if (const auto input = not_finite_input_of_evaluation(engine_, *feeder_))
      helps.push_back(*input);
    else if (!advice.empty())
      helps.push_back(advice);
    return end_not_finite({bad + when(), helps, {}});
  }

  void record_evaluation(const std::vector<Fetched>& fetched) {
    const HostTensor* loss = find_fetched(fetched, "loss", "loss");
    result_.evaluated = result_.evaluated_now = true;
    saved_ = false;
    result_.eval_loss = loss != nullptr ? loss->scalar() : 0;
    result_.evaluation = fetched;
    result_.metrics.clear();
    for (const Fetched& item : fetched)
      if (item.kind == "metric") result_.metrics.emplace_back(item.name, item.value.scalar());
    if (!engine_.is_root()) return;
    log(eval_line(result_.steps, fetched));
    if (hooks_.progress) progress_->line(eval_summary(result_));
  }

  Engine& engine_;
  const TrainPlan& plan_;
  const TrainHooks& hooks_;
  StepRunner step_;
  std::optional<Feeder> feeder_;
  std::optional<Progress> progress_;
  std::int64_t steps_ = 0;
  Status logged_;
  bool saved_ = false;  // as it stands now
  Clock::time_point last_save_ = Clock::now();
  bool resumed_in_step_ = false;  // what follows the last step is still to be done
  Feeds feeds_;
  std::vector<Fetched> fetched_;
  Snapshot snapshot_;  // before the step, if it may be undone
  int skipped_in_a_row_ = 0;
  int no_scale_in_a_row_ = 0;
  TrainResult result_;
};

}  // namespace

std::string interruption(const TrainResult& result) {
  const int signal = result.status - exit_signal;
  const char* name = ::sigabbrev_np(signal);
  return "ended by " +
         (name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(signal)) +
         " after step " + std::to_string(result.steps);
}

TrainResult run_training(Engine& engine, const TrainPlan& plan, const TrainHooks& hooks) {
  return Run(engine, plan, hooks).train();
}

}  // namespace mtfc::runtime
