// Commands that begin with a checkpoint: --checkpoint of eval, generate and run, --resume of train.
// What it says about its model, and its tensors into an engine.
#pragma once
#include <optional>

#include "cli/session/session.h"
#include "ir/model.h"
#include "train/checkpoint/checkpoint.h"

namespace mtfc::cli {

/// Opens what the options name, into session.checkpoint; nothing happens if they name none.
/// read_model() calls it: what a checkpoint records comes before the command line's -D and --set.
/// False: reported; the command ends with `status`.
bool open_checkpoint(Session& session, int& status);

/// The checkpoint's -D or --set with those of the command line, which replace them.
std::vector<KeyValue> merged(const std::vector<KeyValue>& recorded,
                             const std::vector<KeyValue>& given);

/// Says which of the files that the model uses are not as the run was started with.
void note_changes_of_used(const Session& session, const Model& model);

/// Says so if the learning rate follows the length of a run, which is now `steps`, and was another
/// when the checkpoint was written.
void note_other_length(const Session& session, const Model& model, std::int64_t steps);

/// Of `train.steps` and `train.epochs`, which say the same, the last one counts.
void keep_last_length(std::vector<KeyValue>& settings);

/// Whether the checkpoint's tensors fit the engine's variables. False: reported, each with both
/// sizes and where they come from; the command ends with exit_failed.
bool fits(Session& session, const Model& model, const runtime::Engine& engine, runtime::Load what);

/// fits(), then sets the engine's variables: all that `what` names, so that "init" need not run.
/// Does nothing without a checkpoint.
bool load_checkpoint(Session& session, const Model& model, runtime::Engine& engine,
                     runtime::Load what);

/// Initial values, or the weights of the checkpoint if there is one, on all ranks. False: reported;
/// the command ends with exit_failed.
bool initialise_weights(Session& session, const Model& model, runtime::Engine& engine);

/// What a checkpoint of this run says about its model.
runtime::ModelRecord model_record(const Session& session, const Model& model);

}  // namespace mtfc::cli
