#include "train/loop/run_files.h"

#include "data/files/output_location.h"
#include "data/source_facts.h"

namespace mtfc::runtime {

/// Everything is checked before anything is replaced.
Status RunFiles::prepare_folder() {
  const bool continues =
      begin_ != nullptr && is_same_file(run_folder_of(begin_->tensors.path()), plan_.folder);
  plan_.access.is_ours = continues;
  Result<OutputFolder> opened = OutputFolder::open(plan_.folder, std::move(plan_.access));
  if (!opened) return opened.error();
  folder_.emplace(std::move(*opened));
  std::vector<std::string> names = {checkpoints_name};
  if (plan_.logs_in_folder) names.emplace_back(log_name);
  for (const RunText& file : plan_.texts)
    if (file.text) names.push_back(file.name);
  if (Status mine = folder_->check(names); !mine) return mine;
  // What another run has saved there is not this one's to remove, however few its steps.
  if (Status ready = keeper_->prepare(continues ? begin_->record.state.steps : -1); !ready)
    return ready;
  const std::string log = plan_.folder + "/" + log_name;
  if (plan_.logs_in_folder)
    if (Status able = LogFile::can_write(log); !able) return able;
  if (Status mine = folder_->claim(names); !mine) return mine;
  return plan_.logs_in_folder ? open_log(log) : Status();
}

Status RunFiles::open_log(const std::string& path) {
  Result<LogFile> log =
      begin_ ? LogFile::resume(path, begin_->record.state) : LogFile::create(path);
  if (!log) return log.error();
  logs_.push_back(std::move(*log));
  return {};
}

Status RunFiles::prepare() {
  if (!plan_.folder.empty()) keeper_.emplace(plan_.folder, plan_.keep, plan_.record, plan_.form);
  if (!engine_.is_root()) return {};
  for (const std::string& path : plan_.logs)
    if (Status able = LogFile::can_write(path); !able) return able;
  if (keeper_)
    if (Status ready = prepare_folder(); !ready) return ready;
  for (const std::string& path : plan_.logs)
    if (Status opened = open_log(path); !opened) return opened;
  if (!folder_) return {};
  for (const RunText& file : plan_.texts)
    if (Status done =
            file.text ? folder_->write(file.name, *file.text) : folder_->remove(file.name);
        !done)
      return done;
  return {};
}

Status RunFiles::write(const std::string& line) {
  for (LogFile& log : logs_)
    if (Status written = log.write(line); !written) return written;
  return {};
}

Result<TrainState> RunFiles::reload() {
  Result<FoundCheckpoint> found = find_checkpoint(plan_.folder, engine_.network());
  if (!found) return found.error();
  if (Status loaded = load_checkpoint(engine_, found->checkpoint, Load::everything); !loaded)
    return loaded.error();
  return found->checkpoint.record.state;
}

void RunFiles::add_to(TrainHooks& hooks) {
  hooks.log = [this](const std::string& line) { return write(line); };
  if (keeper_)
    hooks.opened = [this](const Feeder& feeder) {
      keeper_->set_data(feeder.token_tables(), feeder.facts(FileNames::arguments));
    };
  if (keeper_)
    hooks.save = [this](const TrainState& state) { return keeper_->save(engine_, state); };
  if (keeper_)
    hooks.save_apart = [this](const TrainState& state) {
      return keeper_->save_apart(engine_, state);
    };
  if (keeper_) hooks.reload = [this] { return reload(); };
  if (begin_ == nullptr) return;
  hooks.resume = [this]() -> Result<TrainState> {
    if (Status loaded = load_checkpoint(engine_, *begin_, Load::everything); !loaded)
      return loaded.error();
    return begin_->record.state;
  };
}

Result<std::optional<FolderLock>> lock_resumed(const std::string& resumed,
                                               const std::string& folder) {
  const std::string its = run_folder_of(resumed);
  // Nothing is left in a folder that is none of a run.
  if (its.empty() || checkpoints_in(its).empty()) return std::optional<FolderLock>();
  if (!is_same_file(its, folder)) {
    if (Status free = FolderLock::is_free(its); !free) return free.error();
    return std::optional<FolderLock>();
  }
  Result<FolderLock> lock = FolderLock::take(its);
  if (!lock) return lock.error();
  return std::optional<FolderLock>(std::move(*lock));
}

Status can_resume(const Checkpoint& checkpoint, std::int64_t seed) {
  const CheckpointRecord& record = checkpoint.record;
  const std::string& path = checkpoint.tensors.path();
  if (record.state.steps < 0)
    return Error{"`" + path + "` was not written by a run and cannot be resumed", {}, {}};
  if (record.seed != seed)
    return Error{"the run in `" + path + "` has the seed " + std::to_string(record.seed) +
                     ", this one " + std::to_string(seed) +
                     ": data and random numbers would not be those of one run",
                 {},
                 {}};
  return {};
}

std::vector<std::string> changes_of_data(const Checkpoint& checkpoint, const Feeder& feeder) {
  std::vector<std::string> changes;
  std::map<std::string, std::string> before = checkpoint.record.data;
  if (before.empty()) return changes;  // written before data was recorded
  const auto compare = [&](const std::string& name, const std::string& then,
                           const std::string& now) {
    if (then != now && !is_in_parts(then) && !is_in_parts(now))
      changes.push_back(name + " is not as in the run: " + then + " then, " + now + " now");
  };
  for (const Fact& fact : feeder.facts(FileNames::arguments)) {
    const auto recorded = before.extract(fact.name);
    compare(fact.name, recorded ? recorded.mapped() : "none", fact.value);
  }
  for (const auto& [name, then] : before) compare(name, then, "none");
  return changes;
}

std::vector<std::string> changes_of_tokens(const std::vector<InitialFile>& files,
                                           const Feeder& feeder) {
  std::vector<std::string> changes;
  const std::map<std::string, std::string> tables = feeder.token_tables();
  if (tables.empty()) return changes;
  for (const InitialFile& file : files) {
    if (file.path.ends_with(".npz")) continue;
    const auto in_folder = checkpoints_in(file.path);
    const Result<Checkpoint> checkpoint =
        Checkpoint::open(in_folder.empty() ? file.path : in_folder.front().path);
    if (!checkpoint) continue;  // said when first values are read
    for (const auto& [source, table] : tables) {
      const auto before = checkpoint->record.tokens.find(source);
      if (before != checkpoint->record.tokens.end() && before->second != table)
        changes.push_back(
            "ids of `" + source + "` stand for other tokens than in `" + file.path +
            "`: what they look up there, as rows of an embedding, is of others. Train on data "
            "with the same tokens, or leave such parameters out, `init = none`");
    }
  }
  return changes;
}

std::string nothing_left(std::int64_t done) {
  return "nothing is left to train after step " + std::to_string(done);
}

std::string how_to_continue(std::int64_t done) {
  return "`--steps " + std::to_string(2 * done) + "` would continue";
}

}  // namespace mtfc::runtime
