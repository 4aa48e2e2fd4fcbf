// Module: everything that a backend needs. A dump is a whole Module.
#pragma once
#include <string>
#include <vector>

#include "ir/layout.h"
#include "ir/model.h"
#include "ir/program.h"

namespace mtfc {

struct ModuleVariable {
  std::string path;
  ShardType type;
  Variable::Kind kind{};
  friend bool operator==(const ModuleVariable&, const ModuleVariable&) = default;
};

struct ModuleInput {
  std::string name;
  ShardType type;
  std::string source, field;
  friend bool operator==(const ModuleInput&, const ModuleInput&) = default;
};

/// One of the programs of a training step. With more than one part it runs once for each part p,
/// fed with "part" and with the examples p, p + parts, p + 2 parts, ... of every input.
struct StepProgram {
  std::string program;
  std::int64_t parts = 1;
  friend bool operator==(const StepProgram&, const StepProgram&) = default;
};

/// Programs by name: "init" (writes every variable), "train" (one step), "eval_begin" (clears the
/// accumulators), "eval" (one batch, adds to them), "eval_finish" (fetches losses and metrics).
/// A model without a loss has "run" instead; with micro-batches "measure", "accumulate" and "apply"
/// are the step (docs/memory.md).
struct Module {
  std::string model_path;
  Mesh mesh;
  DimTable dims;
  std::vector<ModuleVariable> variables;
  std::vector<ModuleInput> inputs;
  std::vector<Program> programs;
  std::vector<StepProgram> step;  // what a training step runs, in order; empty: nothing to train

  const Program* find(std::string_view program) const;
  const ModuleVariable* find_variable(std::string_view path) const;
};

}  // namespace mtfc
