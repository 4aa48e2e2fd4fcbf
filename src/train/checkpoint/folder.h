// The checkpoints of a run folder: FOLDER/checkpoints/step-00000250.safetensors, or, sharded, the
// folder FOLDER/checkpoints/step-00000250. Beside them, never read by themselves, states that are
// not finite: FOLDER/checkpoints/not-finite-00000250.safetensors.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "support/fact.h"
#include "train/checkpoint/checkpoint.h"

namespace mtfc::runtime {

struct CheckpointFile {
  std::int64_t step = 0;
  std::string path;
};
/// Of both forms, newest first; empty if the folder has none or is none. `folder` may be the run's
/// folder or the one with the checkpoints in it.
std::vector<CheckpointFile> checkpoints_in(const std::string& folder);

/// What --checkpoint and --resume name: a checkpoint, or a folder with some, of which the newest
/// good one is meant. Every checksum is compared.
struct FoundCheckpoint {
  Checkpoint checkpoint;
  std::vector<Error> damaged;  // newer ones that were passed over
};
/// Called by all ranks of the network; each compares a share of the checksums, and all come to the
/// same checkpoint. If nothing good is found, the error says why, and offers an older good
/// checkpoint beside a damaged one. It may stand on some ranks only (a file that others can read).
Result<FoundCheckpoint> find_checkpoint(const std::string& path,
                                        net::Network& network = net::alone());

// What lies in the folder of a run.
inline constexpr const char* checkpoints_name = "checkpoints";
inline constexpr const char* description_name = "run.json";
inline constexpr const char* model_name = "model.mtf";
inline constexpr const char* layout_name = "layout.layout";
inline constexpr const char* log_name = "log.jsonl";

/// The folder of the run with such a path among its checkpoints; empty: there is none.
std::filesystem::path run_around(const std::filesystem::path& path);
/// The folder of the run that keeps such a file, if it is one: by its name, or as one among
/// checkpoints; empty: no run does.
std::filesystem::path run_keeping(const std::filesystem::path& file);
/// A folder of checkpoints, not one of them.
bool has_checkpoints(const std::string& path);
/// The run folder that a checkpoint, or a folder with some, belongs to; "" if it lies elsewhere.
std::string run_folder_of(const std::string& path);

/// Keeps the checkpoints of one run: writes them and removes those beyond the newest `keep`.
class CheckpointKeeper {
 public:
  /// `record` is what all checkpoints of the run say; the state is added by save().
  CheckpointKeeper(std::string run_folder, std::int64_t keep, CheckpointRecord record,
                   CheckpointForm form = CheckpointForm::one_file)
      : folder_(std::move(run_folder)), keep_(keep), record_(std::move(record)), form_(form) {}

  /// Makes the folder. It must have no good checkpoints of steps after `step` (-1: none at all):
  /// they would be of another run. Damaged ones get another name; what an interrupted write left is
  /// removed. On the root only.
  Status prepare(std::int64_t step) const;
  /// The token tables, and what the data is, that the record says from now on.
  void set_data(std::map<std::string, std::string> tokens, const Facts& facts);
  /// Called by all ranks. Older checkpoints are removed only after the new one is safe.
  Status save(Engine& engine, const TrainState& state);
  /// A state that must not be taken for a good one, under a name that says so; its path.
  Result<std::string> save_apart(Engine& engine, const TrainState& state);

 private:
  std::string folder_;
  std::int64_t keep_;
  CheckpointRecord record_;
  CheckpointForm form_;
};

}  // namespace mtfc::runtime
