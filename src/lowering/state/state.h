// What the passes work on.
#pragma once
#include <string>
#include <vector>

#include "ir/compilation.h"
#include "lowering/state/request.h"
#include "messages/diagnostic.h"
#include "pipeline/pipeline_module.h"
#include "support/special_members.h"

namespace mtfc::lowering {

/// A pass is a function over it. Everything that later passes need is here, and in its text
/// (state_text.h).
struct State {
  MTFC_DECLARE_SPECIAL_MEMBERS(State, noexcept(false));
  /// Dimensions, variables, inputs and settings throughout; its graphs until `split-programs`.
  Model model;
  Assignment assignment;
  LoweringOptions options;  // decided: by the layout or by the model
  Request request;
  /// Programs to be: those of a step from `differentiate-step` on, all of them from
  /// `split-programs` on. From `assign-shardings` on with the shardings of their values and the
  /// types of variables and inputs; from `lower` on with the module's programs.
  Compilation made;
  std::vector<StepProgram> step;
  Diagnostics diagnostics;  // of `split-batch`, which alone may find the model at fault
  StageCut cut = {};        // of a pipeline, from `cut-stages` on
};

}  // namespace mtfc::lowering
