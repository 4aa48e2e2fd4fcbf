// What a training run reads and writes beside its data: the checkpoint it begins with, the logs,
// its own checkpoints.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "data/files/output_folder.h"
#include "train/checkpoint/folder.h"
#include "train/loop/log_file.h"
#include "train/loop/train_loop.h"

namespace mtfc::runtime {

/// A file of the run folder that is known before the first step.
struct RunText {
  std::string name;
  std::optional<std::string> text;  // absent: what an earlier run wrote is removed, nothing else
};

struct RunFilesPlan {
  std::string folder;             // of the run; empty: no checkpoints are saved
  FolderAccess access;            // to the folder
  std::vector<RunText> texts;     // in the folder
  std::vector<std::string> logs;  // files
  bool logs_in_folder = false;    // as log_name, too
  std::int64_t keep = 3;
  CheckpointForm form = CheckpointForm::one_file;
  CheckpointRecord record;  // what all checkpoints of the run say
};

class RunFiles {
 public:
  /// `begin`: the checkpoint that the run goes on from, if any. What is referred to must live as
  /// long as this.
  RunFiles(Engine& engine, RunFilesPlan plan, const Checkpoint* begin)
      : engine_(engine), plan_(std::move(plan)), begin_(begin) {}

  /// Makes folders and opens logs, on the root. There must be no misfits.
  Status prepare();
  /// Sets the hooks `resume`, `opened`, `log`, `save`,
  /// `save_apart` and `reload`.
  void add_to(TrainHooks& hooks);

 private:
  Status prepare_folder();
  Status open_log(const std::string& path);
  Status write(const std::string& line);
  Result<TrainState> reload();

  Engine& engine_;
  RunFilesPlan plan_;
  const Checkpoint* begin_;
  std::optional<OutputFolder> folder_;
  std::optional<CheckpointKeeper> keeper_;
  std::vector<LogFile> logs_;
};

/// On the root, before the checkpoint that `resumed` names is read: a run that has not ended is not
/// resumed. The lock, if the run continues in its own folder (`folder` is that of this run).
Result<std::optional<FolderLock>> lock_resumed(const std::string& resumed,
                                               const std::string& folder);

/// Of a run that resumes: in what its data is not that of the run so far, a sentence each.
std::vector<std::string> changes_of_data(const Checkpoint& checkpoint, const Feeder& feeder);

/// Of a run that takes first values from checkpoints: whose ids stood for other tokens there, a
/// sentence each.
std::vector<std::string> changes_of_tokens(const std::vector<InitialFile>& files,
                                           const Feeder& feeder);

/// What is said of a run that has made all its steps: "nothing is left to train after step 9", and
/// "`--steps 18` would continue".
std::string nothing_left(std::int64_t done);
std::string how_to_continue(std::int64_t done);

/// Why the run of this seed cannot be resumed from the checkpoint, misfits aside; well otherwise.
Status can_resume(const Checkpoint& checkpoint, std::int64_t seed);

}  // namespace mtfc::runtime
