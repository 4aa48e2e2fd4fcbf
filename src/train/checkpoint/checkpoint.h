// Checkpoints: the variables of a run in global form, whatever the layout was, and the record of
// what made them, in one safetensors file or in a folder of them.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "train/checkpoint/record.h"
#include "train/checkpoint/tensors.h"
#include "train/engine.h"
#include "train/train_plan.h"

namespace mtfc::runtime {

/// An open checkpoint. Its tensors are read when they are asked for.
struct Checkpoint {
  CheckpointTensors tensors;
  CheckpointRecord record;

  /// Anything may be there; tensors are not read (CheckpointTensors::verify).
  static Result<Checkpoint> open(const std::string& path);
};

/// Parameters, states and what optimisers keep.
bool is_saved(const VariableInfo& variable);

/// Writes what is_saved(); the record's dims and kinds are filled in here. Called by all ranks,
/// each of which writes its shares; where not all see one filesystem, the root gathers everything
/// and writes alone. All ranks return the same. What was at `path` is
/// replaced whole or not at all.
Status save_checkpoint(Engine& engine, const std::string& path, CheckpointRecord record,
                       CheckpointForm form = CheckpointForm::one_file);

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

/// Whether these are the same dimensions in another order: the tensor is another one, transposed.
/// Other names may be those of dimensions that were renamed.
bool is_reordered(const std::vector<std::string>& dims, const std::vector<std::string>& wanted);

/// "f32[vocab=65]"; without names of dimensions "f32[65]".
std::string tensor_text(std::string_view dtype, const std::vector<std::int64_t>& extents,
                        const std::vector<std::string>& dims = {});

/// "`w` is f32[vocab=65] in `FILE`, f32[vocab=71] in the model"
std::string misfit_text(const Checkpoint& checkpoint, const Misfit& misfit);

/// Sets the engine's variables; each rank reads what it has of them. There must be no misfits.
/// Fails if a file cannot be read or pieces are missing.
Status load_checkpoint(Engine& engine, const Checkpoint& checkpoint, Load what);

}  // namespace mtfc::runtime
