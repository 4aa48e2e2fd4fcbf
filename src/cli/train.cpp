// mtfc train: on a simulated mesh.

#include <filesystem>
#include <optional>
#include <set>

#include "cli/options/commands.h"
#include "cli/run/execution.h"
#include "cli/run/not_finite_search.h"
#include "cli/run/profile.h"
#include "cli/run/train_output.h"
#include "cli/session/compile.h"
#include "cli/session/from_checkpoint.h"
#include "cli/session/outputs.h"
#include "cli/session/programs.h"
#include "cli/session/run_folder.h"
#include "cli/session/train_plan.h"
#include "data/feeder.h"
#include "data/files/npz.h"
#include "data/files/output_location.h"
#include "messages/wrap.h"
#include "support/figures.h"
#include "support/text.h"
#include "train/loop/evaluate.h"
#include "train/loop/interrupt.h"
#include "train/loop/run_files.h"
#include "train/loop/train_loop.h"

namespace mtfc::cli {
namespace {

using runtime::Error;
using runtime::OutputForm;
using runtime::Status;

/// With `epochs`, data is opened first: schedules need to know the number of steps. `facts`: of it.
Status settle_steps(Model& model, runtime::TrainPlan& plan, bool compared, Facts& facts) {
  if (plan.steps > 0 || plan.epochs <= 0) return {};
  const runtime::Result<runtime::Feeder> feeder = runtime::open_feeder(plan);
  if (!feeder) return feeder.error();
  if (compared) facts = feeder->facts();
  const runtime::Result<std::int64_t> steps = feeder->steps_of(plan.epochs);
  if (!steps) return steps.error();
  plan.steps = model.settings.steps = *steps;
  return {};
}

Status save_fetched(const std::vector<runtime::Fetched>& fetched, const std::string& path) {
  runtime::Result<runtime::NpzWriter> writer = runtime::NpzWriter::create(path);
  if (!writer) return writer.error();
  std::set<std::string> tensors;
  for (const runtime::Fetched& item : fetched)
    if (item.kind == "tensor") tensors.insert(item.name), writer->add(item.name, item.value);
  for (const runtime::Fetched& item : fetched)
    if (item.kind == "loss")
      writer->add((tensors.contains(item.name) ? "loss." : "") + item.name, item.value);
  return writer->finish();
}

/// Whether the run that is resumed has made all steps that are asked for, and the evaluation that
/// follows the last one.
bool is_complete(const Session& session, const runtime::TrainPlan& plan,
                 const runtime::Engine& engine) {
  if (!session.checkpoint) return false;
  const runtime::TrainState& state = session.checkpoint->record.state;
  if (state.steps != plan.steps || state.evaluated_now) return state.steps >= plan.steps;
  const runtime::Result<runtime::Feeder> feeder = runtime::open_feeder(plan);
  return feeder && !runtime::can_evaluate(engine, *feeder);
}

/// What needs a step, where none is left. Absent: nothing of that is asked for.
std::optional<int> refused_without_steps(Session& session) {
  const Options& o = session.options;
  if (o.dump_tensors.empty() && o.profile.empty()) return std::nullopt;
  const std::int64_t done = session.checkpoint->record.state.steps;
  return session.usage_error(
      std::string(o.dump_tensors.empty() ? "`--profile`" : "`--dump-tensors`") +
          " needs a step, and " + runtime::nothing_left(done),
      runtime::how_to_continue(done));
}

/// What the command prepares before the loop and finishes after it.
class Training {
 public:
  /// `complete`: see is_complete(); then what lies in the run's own folder is left as it is.
  Training(Session& session, Model& model, Execution& execution, bool complete,
           std::vector<runtime::RunText> texts, std::vector<ProfiledStage> profiled,
           std::optional<runtime::FolderLock> lock, NotFiniteSearch& search)
      : session_(session),
        model_(model),
        execution_(execution),
        engine_(execution.engine()),
        folder_(run_folder(session)),
        writes_(!folder_.empty() && !(complete && engine_.any(is_own_folder()))),
        texts_(std::move(texts)),
        profiled_(std::move(profiled)),
        lock_(std::move(lock)),
        search_(search) {}

  /// All ranks must come to the same answer: those without the mistake would wait for the others.
  Status prepare(const runtime::TrainPlan& plan) {
    Status ready = make_files(plan);
    if (!session_.all(bool{ready}) && ready) return Error{runtime::failed_elsewhere, {}, {}};
    return ready;
  }

  int run(const runtime::TrainPlan& plan) {
    announce(plan);
    std::optional<Profile> profile;
    if (!profiled_.empty()) profile.emplace(session_, execution_, std::move(profiled_));
    const runtime::TrainResult result = runtime::run_training(engine_, plan, hooks());
    int status = result.status;
    if (result.failed()) fail(result.error);
    status = execution_.status_of_replicas(session_, status);
    if (!result.failed() && !save_dump()) status = exit_failed;
    if (!result.failed() && profile && !save_profile(*profile)) status = exit_failed;
    if (status == exit_done)
      session_.print(train_summary(result) + (profile ? profile->table_text() : ""));
    if (status >= exit_signal)
      note_interruption(result);
    else if (writes_ && !result.failed() && status != exit_failed)
      session_.progress("saved in " + in_one_piece(folder_) + log_size());
    JsonFields fields = train_json(session_, result, plan, execution_);
    if (profile) fields.emplace_back("profile", profile->table_json());
    return session_.finish(status, std::move(fields));
  }

 private:
  /// That of the run which is resumed.
  bool is_own_folder() const {
    const std::string theirs = runtime::run_folder_of(session_.checkpoint->tensors.path());
    return runtime::is_same_file(folder_, theirs);
  }

  Status make_files(const runtime::TrainPlan& plan) {
    const Options& o = session_.options;
    const runtime::Checkpoint* begin = session_.checkpoint ? &*session_.checkpoint : nullptr;
    runtime::RunFilesPlan files;
    if (writes_) {
      files.folder = folder_;
      files.access.force = o.force;
      files.access.lock = std::move(lock_);
      files.texts = std::move(texts_);
      files.logs_in_folder = true;
    }
    if (!o.log.empty()) files.logs.push_back(o.log);
    files.keep = plan.keep;
    files.form = plan.checkpoint;
    files.record.version = program_version;
    files.record.model = model_record(session_, model_);
    files.record.seed = plan.seed;
    files.record.length = plan.steps;
    files_.emplace(engine_, std::move(files), begin);
    if (begin)
      if (Status same = runtime::can_resume(*begin, plan.seed); !same) return same;
    return files_->prepare();
  }

  void announce(const runtime::TrainPlan& plan) const {
    const std::string where =
        folder_.empty() ? "; not saved (no -o)" : ", into " + in_one_piece(folder_);
    const std::int64_t done = session_.checkpoint ? session_.checkpoint->record.state.steps : 0;
    if (session_.checkpoint && done >= plan.steps) {
      session_.note(runtime::nothing_left(done) + "; " + runtime::how_to_continue(done));
      return;
    }
    const std::string from = session_.checkpoint ? ", from step " + std::to_string(done) : "";
    session_.progress("training " + in_one_piece(model_.path) + " on " + execution_.text() + ", " +
                      counted(plan.steps, "step") + from + where);
    const bool is_split = execution_.is_pipeline() || execution_.mesh().processors() > 1;
    if (session_.options.runs_layout && is_split)
      session_.note("the layout is the run's own, " +
                    in_one_piece(session_.options.layouts.front()) +
                    "; --rules \"\" resumes on one processor");
    if (session_.checkpoint) note_other_length(session_, model_, plan.steps);
    for (const std::string& note : model_.notes) session_.note(note);
  }

  runtime::TrainHooks hooks() {
    runtime::TrainHooks hooks;
    hooks.progress = true;
    files_->add_to(hooks);
    hooks.opened = [this, keep = hooks.opened](const runtime::Feeder& feeder) {
      if (const std::string why = feeder.too_little_to_evaluate(); !why.empty())
        session_.note("there are no evaluations: " + why);
      for (const std::string& sentence : feeder.left_out_of_evaluation()) session_.note(sentence);
      if (session_.checkpoint)
        for (const std::string& change : runtime::changes_of_data(*session_.checkpoint, feeder))
          session_.note(change);
      else
        for (const std::string& change : runtime::changes_of_tokens(initial_files(model_), feeder))
          session_.note(change);
      if (keep) keep(feeder);
    };
    hooks.before_bad = [this](const auto& again) {
      search_.run(again);
      return search_.found().advice;
    };
    if (!session_.options.dump_tensors.empty())
      hooks.after_step = [this](std::int64_t, const std::vector<runtime::Fetched>& fetched) {
        last_ = fetched;
      };
    return hooks;
  }

  /// A log is never cut; one that grows large is not to be a surprise.
  std::string log_size() const {
    constexpr double small = 10e6;
    std::error_code none;
    const auto bytes = std::filesystem::file_size(folder_ + "/" + runtime::log_name, none);
    if (none || static_cast<double>(bytes) < small) return "";
    return ", of which the log has " + scaled(static_cast<double>(bytes), "B");
  }

  void note_interruption(const runtime::TrainResult& result) const {
    const std::string what = runtime::interruption(result);
    if (folder_.empty()) return session_.progress(what + "; not saved (no -o)");
    session_.progress(what + ", saved in " + in_one_piece(folder_) + log_size() + "; to continue:");
    session_.note_line("  " + resume_command(session_, folder_));
  }

  void fail(const Error& error) {
    if (error.unreadable || location_of(model_, error.subject).valid())
      report_data_failure(session_, model_, error);
    else
      session_.report_failure(DiagKind::run_failed, error, search_.found().labels);
  }

  bool save_dump() {
    if (session_.options.dump_tensors.empty() || !engine_.is_root()) return true;
    const Status saved = save_fetched(last_, session_.options.dump_tensors);
    if (!saved) fail(saved.error());
    return bool{saved};
  }

  bool save_profile(Profile& profile) {
    const Status saved = profile.save(model_.path, session_.options.profile);
    if (!saved) fail(saved.error());
    return bool{saved};
  }

  Session& session_;
  Model& model_;
  Execution& execution_;
  runtime::Engine& engine_;
  const std::string folder_;  // of the run; empty: nothing is saved
  const bool writes_;         // into it
  std::vector<runtime::RunText> texts_;
  std::vector<ProfiledStage> profiled_;  // with --profile
  std::optional<runtime::FolderLock> lock_;
  std::optional<runtime::RunFiles> files_;
  NotFiniteSearch& search_;
  std::vector<runtime::Fetched> last_;
};

/// Before the checkpoint is read. False: reported; the command ends with `status`.
bool lock_folder(Session& session, std::optional<runtime::FolderLock>& lock, int& status) {
  const std::string& resumed = session.options.checkpoint;
  if (!resumed.empty() && (!session.ranks || session.ranks->rank() == 0)) {
    runtime::Result<std::optional<runtime::FolderLock>> taken =
        runtime::lock_resumed(resumed, run_folder(session));
    if (!taken) {
      session.report_failure(DiagKind::run_failed, taken.error());
      status = exit_failed;
      return false;
    }
    lock = std::move(*taken);
  }
  return session.all_at(Ranks::Stage::folder, status);
}

void take_signals(const Session& session) {
  // Until the process ends: launchers signal ranks that are ending already.
  static const runtime::InterruptGuard guard;
  if (session.ranks)
    runtime::InterruptGuard::ignore_repeated();
  else
    runtime::InterruptGuard::end_at_once(true);
}

/// What ranks agree on beside their data: the plan, and which options they have.
void add_facts(const Session& session, const runtime::TrainPlan& plan, Facts& facts) {
  for (Fact& fact : runtime::facts_of(plan)) facts.push_back(std::move(fact));
  const Options& o = session.options;
  for (const auto& [name, asked] :
       {std::pair("`--out`", !o.out.empty()), std::pair("`--log`", !o.log.empty()),
        std::pair("`--profile`", !o.profile.empty()),
        std::pair("`--resume`", session.checkpoint.has_value())})
    facts.push_back({name, asked ? "given" : "absent"});
}

}  // namespace

int train(Session& session) {
  take_signals(session);
  int status = exit_done;
  std::optional<runtime::FolderLock> lock;
  if (!lock_folder(session, lock, status)) return session.finish(status);
  lowering::Request request;
  request.dump_tensors = !session.options.dump_tensors.empty();
  std::optional<Compiled> compiled = compile(session, request, status);
  if (!compiled) return session.finish(status);
  Model& model = compiled->model;
  const Options& o = session.options;
  if (const auto refused = refused_outputs(session,
                                           {{o.log, OutputForm::log},
                                            {o.dump_tensors, OutputForm::archive},
                                            {o.profile, OutputForm::trace}},
                                           read_by(session, model)))
    return session.finish(*refused);
  if (!model.settings.present)
    return session.usage_error("the model has no `train { }` block",
                               "add `train { optimizer = sgd(lr=0.1)  steps = 100 }` and a `loss`");
  runtime::TrainPlan plan = make_train_plan(session, model);
  Facts facts;
  if (o.dump_after.empty())
    if (const Status settled = settle_steps(model, plan, session.ranks != nullptr, facts);
        !settled) {
      report_data_failure(session, model, settled.error());
      return session.finish(exit_failed);
    }
  std::optional<Programs> programs =
      programs_for(session, model, compiled->assignment, request, status);
  if (!programs) return session.finish(status);
  plan.step = programs->step();
  if (plan.step.empty())
    return session.usage_error("the model has no loss, so there is nothing to train",
                               "add `loss E`; without one a model can be checked, costed and run");
  add_facts(session, plan, facts);
  std::vector<ProfiledStage> profiled;
  if (!o.profile.empty())
    profiled = profiled_stages(*programs, session.sources, session.ranks == nullptr);
  std::optional<Execution> execution =
      Execution::make(session, std::move(*programs), compiled->assignment, status, facts);
  if (!execution) return session.finish(status);
  if (session.checkpoint && !fits(session, model, execution->engine(), runtime::Load::everything))
    return session.finish(exit_failed);
  // All ranks decide alike, since they save together.
  const bool complete = !execution->engine().any(!is_complete(session, plan, execution->engine()));
  if (complete)
    if (const auto refused = refused_without_steps(session)) return *refused;
  std::vector<runtime::RunText> texts = run_texts(session, model, execution->mesh());
  if (const auto refused = refused_run_files(session, model, texts))
    return session.finish(*refused);
  NotFiniteSearch search(session, *compiled, request, *execution);
  Training training(session, model, *execution, complete, std::move(texts), std::move(profiled),
                    std::move(lock), search);
  if (const Status ready = training.prepare(plan); !ready) {
    session.report_failure(DiagKind::run_failed, ready.error());
    return session.finish(exit_failed);
  }
  return training.run(plan);
}

}  // namespace mtfc::cli
