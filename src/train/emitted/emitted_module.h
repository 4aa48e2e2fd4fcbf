// The tables of an emitted program, as plain data.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/mesh.h"
#include "train/engine.h"

namespace mtfc::runtime {

class Processor;
struct EmittedStages;

/// Shared by many variables.
struct EmittedForm {
  std::vector<std::string> dims;  // names
  net::ShardedTensor tensor;
};

struct EmittedVariable {
  const char* path;
  const char* kind;  // as in VariableInfo
  const EmittedForm* form;
};

/// Inputs: one entry for each form in which a program is fed with it.
struct EmittedInput {
  const char* name;
  net::ShardedTensor tensor;
};

struct EmittedProgram {
  std::string name;
  std::int64_t arena_bytes = 0;
  void (*run)(Processor& p) = nullptr;
};

struct EmittedModule {
  std::string model;
  Mesh mesh;
  std::span<const EmittedVariable> variables;
  std::span<const EmittedInput> inputs;
  std::vector<EmittedProgram> programs;
  std::string digest = {};  // of the programs and tables that were emitted: ranks compare it
  /// Of a pipeline: modules of their own, which have the meshes, variables, inputs and programs.
  /// Null: none.
  const EmittedStages* stages = nullptr;
};

VariableInfo info_of(const EmittedVariable& variable);

}  // namespace mtfc::runtime
