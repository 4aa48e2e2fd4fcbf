// A backend: what `mtfc emit --backend NAME` writes from a compiled model.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "ir/compilation.h"
#include "pipeline/pipeline_module.h"
#include "train/train_plan.h"

namespace mtfc::backends {

struct EmittedFile {
  std::string path;  // relative to the folder
  std::string text;
};

/// Everything that a backend may read. What it does not need it ignores.
struct Emission {
  /// The module, and the graphs with the sharding of every value. Of stages with meshes of their
  /// own it is empty.
  const Compilation& made;
  const SourceMap& sources;
  const runtime::TrainPlan* plan = nullptr;  // null for a model that is not trained
  /// Of a layout with a pipeline, one module a stage; that of `made` has the programs of all. Else
  /// null.
  const PipelineModule* pipeline = nullptr;
  /// Values of the backend's own arguments that were given, by name; all are valid.
  std::map<std::string, std::string> arguments = {};

  /// Of the stages; without a pipeline the one mesh.
  std::vector<Mesh> meshes() const {
    if (!pipeline) return {made.module.mesh};
    std::vector<Mesh> all;
    for (const Module& stage : pipeline->stages) all.push_back(stage.mesh);
    return all;
  }
};

/// An option of the command line that belongs to one backend: `--devices LIST`. Names are unique in
/// the table.
struct BackendArgument {
  const char* name;         // "devices"
  const char* placeholder;  // "LIST"
  const char* summary;      // one line for --help
  const char* kind;         // "a list of devices": what a wrong value is not
  const char* example;      // help for a wrong value
  bool (*is_valid)(const std::string& value);
};

struct Backend {
  const char* name;
  const char* summary;  // one line
  std::vector<EmittedFile> (*emit)(const Emission& emission);
  /// It emits one file, which goes to standard output if no folder is given.
  bool is_one_file = false;
  std::vector<BackendArgument> arguments = {};
};

}  // namespace mtfc::backends
