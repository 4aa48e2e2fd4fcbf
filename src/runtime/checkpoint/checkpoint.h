// Checkpoints: the variables of a run in global form, whatever the layout was, and the record of
// what made them, in one safetensors file.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "runtime/checkpoint/record.h"
#include "runtime/engine.h"

namespace mtfc::runtime {

/// An open checkpoint. Its tensors are read when they are asked for.
struct Checkpoint {
  SafetensorsFile file;
  CheckpointRecord record;

  /// Anything may be in the file; not all its tensors are read (SafetensorsFile::verify).
  static Result<Checkpoint> open(const std::string& path);
};

/// Writes parameters, states and what optimisers keep; the record's dims and kinds are filled in here. Called
/// by all ranks; the root writes. A parameter that is not a number is an error, and nothing is
/// written.
Status save_checkpoint(Engine& engine, const std::string& path, CheckpointRecord record);

/// What to take from a checkpoint.
enum class Load {
  weights,    // parameters and states: to evaluate, generate, compute
  everything  // what optimisers keep as well: to go on training
};

/// A variable that does not get its value, or a tensor that no variable takes.
struct Misfit {
  VariableInfo variable;                 // path only, if the model has no such variable
  const StoredTensor* stored = nullptr;  // null: the checkpoint lacks it
};
/// What stands in the way of load_checkpoint; reads no tensors. Float types are converted, so they
/// never do.
std::vector<Misfit> misfits(const Engine& engine, const Checkpoint& checkpoint, Load what);

/// "`w` is f32[vocab=65] in `FILE`, f32[vocab=71] in the model"
std::string misfit_text(const Checkpoint& checkpoint, const Misfit& misfit);

/// Sets the engine's variables; each rank reads the file. There must be no misfits. Fails if a
/// tensor is damaged.
Status load_checkpoint(Engine& engine, const Checkpoint& checkpoint, Load what);

}  // namespace mtfc::runtime
