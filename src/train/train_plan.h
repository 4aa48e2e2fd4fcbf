// What a training run is, as plain data: written out as C++ by backends that emit programs.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "data/feeder.h"
#include "support/program_names.h"
#include "support/setting_words.h"
#include "train/engine.h"

namespace mtfc::runtime {

/// `params "glob" { init = "file" }`: parameters whose first values are in a file.
struct InitialFile {
  std::string path;  // safetensors, .npz, or a run folder
  struct Parameter {
    std::string path;
    std::vector<std::string> names;  // of the tensor in the file; the first that is there counts
    bool optional = false;           // a state: without one it begins as the model says
  };
  std::vector<Parameter> parameters;
};

struct TrainPlan {
  std::string model;           // its file, for messages
  std::string optimizer = {};  // its name: a run resumes with the same
  std::vector<SourceSpec> sources;
  std::vector<InputSpec> inputs;
  std::int64_t evaluation_microbatches = 1;  // an evaluation takes a batch in so many parts
  std::vector<StepProgram> step = {{program_names::train, 1}};
  std::vector<InitialFile> initial;
  std::int64_t steps = 0;  // one of the two is > 0
  double epochs = 0;
  std::int64_t eval_every = 0;        // 0: only after the last step
  std::int64_t checkpoint_every = 0;  // steps; 0: whenever so much time has gone by
  double checkpoint_seconds = 600;
  double loss_scale = 1;  // that stays the same; 1: none, or one that adapts
  OnNan on_nan = OnNan::stop;
  std::int64_t keep = 3;  // checkpoints
  CheckpointForm checkpoint = CheckpointForm::one_file;
  std::int64_t seed = 0;
};

/// What it asks for, as far as it decides the numbers or what ranks do together.
Facts facts_of(const TrainPlan& plan);
/// The files of initial values.
Facts facts_of_files(const TrainPlan& plan);
/// The data of a run, opened to feed this split.
Result<Feeder> open_feeder(const TrainPlan& plan, Split split = Split::train);
/// From now on the feeder reads only what the processors of this process need.
void read_for(Feeder& feeder, const Engine& engine);
/// From now on the engine's threads make the batches. It outlives the feeder's use.
void read_on_threads_of(Engine& engine, Feeder& feeder);

}  // namespace mtfc::runtime
