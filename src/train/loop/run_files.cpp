#include "train/loop/run_files.h"

namespace mtfc::runtime {

Status RunFiles::prepare() {
  if (!plan_.folder.empty()) keeper_.emplace(plan_.folder, plan_.keep, plan_.record, plan_.form);
  if (!engine_.is_root()) return {};
  if (keeper_)
    if (Status ready = keeper_->prepare(begin_ ? begin_->record.state.steps : -1); !ready)
      return ready;
  for (const std::string& path : plan_.logs) {
    Result<LogFile> log =
        begin_ ? LogFile::resume(path, begin_->record.state) : LogFile::create(path);
    if (!log) return log.error();
    logs_.push_back(std::move(*log));
  }
  return {};
}

Status RunFiles::write(const std::string& line) {
  for (LogFile& log : logs_)
    if (Status written = log.write(line); !written) return written;
  return {};
}

void RunFiles::add_to(TrainHooks& hooks) {
  hooks.log = [this](const std::string& line) { return write(line); };
  if (keeper_)
    hooks.opened = [this](const Feeder& feeder) { keeper_->set_tokens(feeder.token_tables()); };
  if (keeper_)
    hooks.save = [this](const TrainState& state) { return keeper_->save(engine_, state); };
  if (begin_ == nullptr) return;
  hooks.resume = [this]() -> Result<TrainState> {
    if (Status loaded = load_checkpoint(engine_, *begin_, Load::everything); !loaded)
      return loaded.error();
    return begin_->record.state;
  };
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

}  // namespace mtfc::runtime
