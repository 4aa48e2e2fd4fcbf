#include "cli/session/from_checkpoint.h"

#include <algorithm>
#include <filesystem>

#include "cli/session/train_plan.h"
#include "frontend/elaborate/source_paths.h"
#include "optim/schedules.h"
#include "support/program_names.h"
#include "train/checkpoint/folder.h"
#include "train/loop/initialise.h"

namespace mtfc::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t most_reported = 3;  // misfits of one kind are many or few
constexpr const char* resumes_with_its_optimizer =
    "a run resumes with its optimizer and loss scale; a new one takes its parameters with "
    "`params \"**\" { init = ... }`";

const std::string* find(const runtime::TextPairs& pairs, const std::string& key) {
  for (const auto& [name, value] : pairs)
    if (name == key) return &value;
  return nullptr;
}

/// Whether `key` is `other` or below it: train.optimizer.lr is below train.optimizer.
bool is_below(const std::string& key, const std::string& other) {
  return key.starts_with(other) && (key.size() == other.size() || key[other.size()] == '.');
}

/// The dimension of the model with that name among those of a variable.
const Dim* dim_named(const Model& model, const std::string& name) {
  const auto id = model.dims.find_unique(name);
  return id ? &model.dims[*id] : nullptr;
}

/// "vocab is 71 here: -D vocab=71", "vocab was 65 in the checkpoint: -D vocab=65"
void explain_dim(Diagnostic& d, const Session& session, const Model& model, const std::string& name,
                 std::int64_t was, std::int64_t is) {
  const Dim* dim = dim_named(model, name);
  if (dim != nullptr && dim->size_span.valid())
    d.labels.push_back(
        {dim->size_span, "`" + name + "` is " + std::to_string(is), d.labels.empty()});
  const std::string here = dim == nullptr          ? ""
                           : !dim->origin.empty()  ? dim->origin
                           : !dim->formula.empty() ? "the model, as " + dim->formula
                                                   : "the model";
  d.notes.push_back("`" + name + "` is " + std::to_string(is) + " here" +
                    (here.empty() ? "" : ", from " + here));
  const runtime::ModelRecord& record = session.checkpoint->record.model;
  const std::string* define = find(record.defines, name);
  d.notes.push_back("`" + name + "` was " + std::to_string(was) + " in the run, from " +
                    (define ? "-D " + name + "=" + *define : "its model's text"));
  d.helps.push_back("-D " + name + "=" + std::to_string(was));
}

Diagnostic describe(const Session& session, const Model& model, const runtime::Misfit& misfit) {
  const runtime::Checkpoint& checkpoint = *session.checkpoint;
  Diagnostic d = diag(DiagKind::checkpoint_does_not_fit, runtime::misfit_text(checkpoint, misfit));
  for (const Variable& variable : model.variables)
    if (variable.path == misfit.variable.path && variable.declared.valid())
      d.labels.push_back({variable.declared, "", true});
  const runtime::VariableInfo& here = misfit.variable;
  if (misfit.stored == nullptr && here.kind == "optimizer")
    d.helps.push_back(
        "in the run its parameter was frozen, or there was another optimizer, or it was made to "
        "evaluate only");
  if (here.kind.empty() && owner_names::is_optimizer_state(here.path))
    d.helps.push_back(resumes_with_its_optimizer);
  if (misfit.stored == nullptr || here.kind.empty()) return d;
  const auto dims = checkpoint.record.dims.find(here.path);
  if (dims == checkpoint.record.dims.end() || dims->second != here.dims ||
      misfit.stored->extents.size() != here.dims.size())
    return d;
  for (std::size_t i = 0; i < here.dims.size(); ++i)
    if (misfit.stored->extents[i] != here.extents[i])
      explain_dim(d, session, model, here.dims[i], misfit.stored->extents[i], here.extents[i]);
  return d;
}

/// A loss scale that adapts is in checkpoints. Takes it out of what does not fit, and says so once:
/// it comes and goes with settings, which the tensors' names do not say.
std::optional<Diagnostic> take_out_loss_scale(std::vector<runtime::Misfit>& found,
                                              const TrainSettings& settings) {
  bool is_new = false;
  const std::size_t taken = std::erase_if(found, [&](const runtime::Misfit& misfit) {
    const std::string& path = misfit.variable.path;
    if (path != owner_names::loss_scale && path != owner_names::good_steps) return false;
    is_new = misfit.stored == nullptr;
    return is_new || misfit.variable.kind.empty();  // else its shape is wrong
  });
  if (taken == 0) return std::nullopt;
  if (!is_new)
    return diag(DiagKind::checkpoint_does_not_fit,
                "the run has a loss scale that adapts, and here there is none")
        .help("resume with the `precision` and `loss_scale` of the run")
        .help(resumes_with_its_optimizer);
  return diag(DiagKind::checkpoint_does_not_fit,
              "the run has no loss scale that adapts, and here there is one")
      .note(
          "`precision = f16` has one without `loss_scale`, other precisions with `loss_scale = "
          "dynamic(...)`; here `precision` is `" +
          settings.precision + "`")
      .help(
          "resume with the `precision` and `loss_scale` of the run, or with a scale that stays: "
          "`--set train.loss_scale=1024`");
}

void warn_of_damaged(Session& session, const std::vector<runtime::Error>& damaged,
                     const std::string& taken) {
  for (const runtime::Error& error : damaged)
    session.report(diag(DiagKind::checkpoint_passed_over, error.message)
                       .note("the older `" + taken + "` is good and is taken instead"));
}

/// A model on the command line may have changed since.
void note_change(const Session& session) {
  if (session.options.model.empty() || session.options.model == "-") return;
  const runtime::TextPairs& files = session.checkpoint->record.model.files;
  const auto now = runtime::read_file(session.options.model);
  if (files.empty() || !now) return;
  const std::string_view text = runtime::text_of(*now);
  if (text != files.front().second)
    session.note(session.options.model + " differs from the model that the run was started with");
}

}  // namespace

bool open_checkpoint(Session& session, int& status) {
  const std::string& path = session.options.checkpoint;
  if (path.empty() || session.checkpoint) return true;
  if (!session.all_at(Ranks::Stage::checkpoint, status)) return false;
  std::error_code failed;
  const bool there = fs::exists(path, failed);
  if (!session.all(there)) {
    // The lowest rank without it reports.
    if (there) return status = exit_usage, false;
    status = exit_usage;
    session.report(diag(DiagKind::unreadable_file, "there is no checkpoint `" + path + "`" +
                                                       (failed ? ": " + failed.message() : "")));
    return false;
  }
  runtime::Result<runtime::FoundCheckpoint> found = runtime::find_checkpoint(
      path, session.ranks ? session.ranks->network() : runtime::net::alone());
  if (!found) {
    status = exit_failed;
    session.report_failure(DiagKind::damaged_checkpoint, found.error());
    return false;
  }
  warn_of_damaged(session, found->damaged, found->checkpoint.tensors.path());
  session.checkpoint.emplace(std::move(found->checkpoint));
  note_change(session);
  return true;
}

void keep_last_length(std::vector<KeyValue>& settings) {
  const std::string steps = "train.steps", epochs = "train.epochs";
  const auto last = std::find_if(settings.rbegin(), settings.rend(), [&](const KeyValue& setting) {
    return setting.first == steps || setting.first == epochs;
  });
  if (last == settings.rend()) return;
  const std::string other = last->first == steps ? epochs : steps;
  std::erase_if(settings, [&](const KeyValue& setting) { return setting.first == other; });
}

void note_changes_of_used(const Session& session, const Model& model) {
  if (!session.checkpoint || session.options.model.empty()) return;
  const runtime::TextPairs& recorded = session.checkpoint->record.model.files;
  if (recorded.empty()) return;
  // Where a file lies as seen from the model, which may be elsewhere now.
  const auto from_model = [](const std::string& file, const std::string& model_file) {
    return fs::path(file).lexically_relative(fs::path(model_file).parent_path());
  };
  for (std::size_t i = 1; i < model.files.size(); ++i) {
    const auto& [path, file] = model.files[i];
    const std::string* before = find(recorded, path);
    for (const auto& [old, text] : recorded)
      if (!before && from_model(old, recorded[0].first) == from_model(path, model.files[0].first))
        before = &text;
    // Of one that the run did not have the model says that it is new.
    if (before && *before != session.sources.text(file))
      session.note(session.sources.path(file) +
                   " differs from the file that the run was started with");
  }
}

void note_other_length(const Session& session, const Model& model, std::int64_t steps) {
  const std::int64_t before = session.checkpoint->record.length;
  const SettingCall::Value* rate = optim::find_argument(model.settings.optimizer, "lr");
  if (before <= 0 || steps <= 0 || before == steps || !rate || !optim::follows_length(*rate))
    return;
  session.note("the learning rate follows the length of the run, which was " +
               counted(before, "step") + " and is " + std::to_string(steps) +
               ": it is another one from here on");
}

std::vector<KeyValue> merged(const std::vector<KeyValue>& recorded,
                             const std::vector<KeyValue>& given) {
  std::vector<KeyValue> all;
  for (const KeyValue& old : recorded) {
    bool replaced = false;
    for (const KeyValue& fresh : given) replaced = replaced || is_below(old.first, fresh.first);
    if (!replaced) all.push_back(old);
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    bool last = true;
    for (std::size_t k = i + 1; k < given.size(); ++k)
      last = last && given[k].first != given[i].first;
    if (last) all.push_back(given[i]);
  }
  keep_last_length(all);
  return all;
}

bool has_its_optimizer(Session& session, const Model& model) {
  const auto other =
      runtime::other_optimizer(session.checkpoint->record.model, model.settings.optimizer.function);
  if (!other) return true;
  session.report(diag(DiagKind::checkpoint_does_not_fit, *other).help(resumes_with_its_optimizer));
  return false;
}

bool fits(Session& session, const Model& model, const runtime::Engine& engine, runtime::Load what) {
  if (what == runtime::Load::everything && !has_its_optimizer(session, model)) return false;
  std::vector<runtime::Misfit> found = runtime::misfits(engine, *session.checkpoint, what);
  auto other_scale = take_out_loss_scale(found, model.settings);
  if (other_scale) session.report(std::move(*other_scale));
  for (std::size_t i = 0; i < found.size() && i < most_reported; ++i) {
    Diagnostic d = describe(session, model, found[i]);
    if (i + 1 == most_reported && found.size() > most_reported)
      d.notes.push_back(found.size() == most_reported + 1
                            ? "another tensor does not fit either"
                            : counted(found.size() - most_reported, "other tensor") +
                                  " do not fit either");
    session.report(std::move(d));
  }
  return found.empty() && !other_scale;
}

bool load_checkpoint(Session& session, const Model& model, runtime::Engine& engine,
                     runtime::Load what) {
  if (!session.checkpoint) return true;
  if (!fits(session, model, engine, what)) return false;
  const runtime::Status loaded = runtime::load_checkpoint(engine, *session.checkpoint, what);
  if (!loaded) session.report_failure(DiagKind::damaged_checkpoint, loaded.error());
  return bool{loaded};
}

bool initialise_weights(Session& session, const Model& model, runtime::Engine& engine) {
  const auto files =
      session.checkpoint ? std::vector<runtime::InitialFile>{} : initial_files(model);
  const runtime::Status initialised = runtime::initialise(engine, files);
  if (!initialised) report_data_failure(session, model, initialised.error());
  return session.all(initialised &&
                     load_checkpoint(session, model, engine, runtime::Load::weights));
}

namespace {

/// Relative paths of data start at the working directory, which is another one when the run is
/// resumed.
std::string with_absolute_paths(const std::string& key, const std::string& value) {
  if (!key.starts_with("data.")) return value;
  return with_source_paths(value, [](const std::string& path) {
    std::error_code failed;
    const fs::path absolute = fs::absolute(path, failed);
    return failed || path.empty() ? path : absolute.lexically_normal().string();
  });
}

}  // namespace

runtime::ModelRecord model_record(const Session& session, const Model& model) {
  runtime::ModelRecord record;
  record.path = model.path;
  for (const auto& [location, file] : model.files)
    record.files.emplace_back(location, session.sources.text(file));
  const runtime::ModelRecord empty;
  const runtime::ModelRecord& before =
      session.checkpoint ? session.checkpoint->record.model : empty;
  record.defines = merged(before.defines, session.options.defines);
  std::vector<KeyValue> settings = session.options.settings;
  for (auto& [key, value] : settings) value = with_absolute_paths(key, value);
  record.settings = merged(before.settings, settings);
  record.optimizer = model.settings.optimizer.function;
  return record;
}

}  // namespace mtfc::cli
