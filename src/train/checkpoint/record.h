// What a checkpoint says beside its tensors, as plain data, and as the metadata of the file: texts,
// those with parts as JSON. docs/files.md lists the keys.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/files/safetensors.h"
#include "train/checkpoint/train_state.h"

namespace mtfc::runtime {

using TextPairs = std::vector<std::pair<std::string, std::string>>;

/// The model that was trained: enough to check and run it again.
struct ModelRecord {
  std::string path;    // as it was given
  TextPairs files;     // path and text: the model, then the files that it uses; the library's
                       // under "<library>/NAME". Empty in checkpoints of emitted programs.
  TextPairs defines;   // the final -D, by name
  TextPairs settings;  // the final --set, by key
  std::string optimizer = {};  // "adam"
};

struct CheckpointRecord {
  std::string version;  // of mtfc
  ModelRecord model;
  std::int64_t seed = 0;
  std::int64_t length = 0;  // how many steps the run was to have; 0: it is not known
  TrainState state;
  std::map<std::string, std::string> tokens;             // token tables by data source
  std::map<std::string, std::string> data;               // what it was (Feeder::facts), by name
  std::map<std::string, std::vector<std::string>> dims;  // names of dimensions, by variable
  std::map<std::string, std::string> kinds;              // VariableInfo::kind, by variable
};

/// Why a run does not resume with this optimizer, whose states mean something else even where they
/// are called alike: `v` of `adagrad` is a sum, of `rmsprop` a mean. Absent: it does, or the record
/// does not say.
std::optional<std::string> other_optimizer(const ModelRecord& record, const std::string& optimizer);

Metadata to_metadata(const CheckpointRecord& record);

/// `path` is the file, for messages. Anything may be in the metadata; a file without any of ours
/// (made by other programs) gives an empty record with `state.steps` = -1.
Result<CheckpointRecord> to_record(const Metadata& metadata, const std::string& path);

}  // namespace mtfc::runtime
