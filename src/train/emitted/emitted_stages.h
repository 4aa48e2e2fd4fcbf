// The stages of an emitted pipeline, as plain data: a module each, and what crosses between them.
#pragma once
#include <vector>

#include "train/emitted/emitted_module.h"
#include "train/pipeline_plan.h"

namespace mtfc::runtime {

struct EmittedStages {
  struct Variable {
    int stage = 0;     // that it lives in
    int variable = 0;  // of that stage's module
  };

  PipelinePlan plan;                          // without its variables
  std::vector<const EmittedModule*> modules;  // by stage: what its processors run
  std::vector<Variable> variables;            // that do not cross, in the model's order
};

/// The plan with its variables.
PipelinePlan whole_plan(const EmittedStages& stages);

}  // namespace mtfc::runtime
