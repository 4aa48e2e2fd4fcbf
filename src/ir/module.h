// Module: everything that a backend needs. A dump is a whole Module.
#pragma once
#include <string>
#include <vector>

#include "ir/layout.h"
#include "ir/model.h"
#include "ir/program.h"
#include "support/program_names.h"
#include "support/special_members.h"

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

/// Programs have the names of support/program_names.h.
struct Module {
  MTFC_DECLARE_SPECIAL_MEMBERS(Module, noexcept(false));
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

/// A program, and how often a step runs it.
struct CountedProgram {
  const Program* program = nullptr;
  std::int64_t times = 1;
};

/// What figures of a module count: the programs of a training step; where there is nothing to
/// train, the run; nothing if there is none.
std::vector<CountedProgram> counted_programs(const Module& module);

}  // namespace mtfc
