// The stages of an emitted pipeline, as plain data beside its module: that has the programs,
// variables and inputs of all stages, of which a processor has those of its own.
#pragma once
#include <vector>

#include "train/emitted/emitted_module.h"
#include "train/pipeline_plan.h"

namespace mtfc::runtime {

struct EmittedStages {
  PipelinePlan plan;  // without its variables, which are those of the module
  /// By variable of the module: the stage that it lives in; -1: it crosses.
  std::vector<int> homes;
  /// By stage: the entries of the module's inputs that its programs are fed with.
  std::vector<std::vector<int>> inputs;
};

int stage_count(const EmittedModule& module);  // 1 without stages
/// What a processor of the stage has; all of a module without stages.
bool has_variable(const EmittedModule& module, std::size_t variable, int stage);
bool has_input(const EmittedModule& module, std::size_t input, int stage);
bool has_program(const EmittedModule& module, std::size_t program, int stage);
/// The plan with its variables. The module has stages.
PipelinePlan whole_plan(const EmittedModule& module);

}  // namespace mtfc::runtime
