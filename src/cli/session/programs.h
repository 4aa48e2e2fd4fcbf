// What the passes make of a model under a layout, for the commands that run, price or print it.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "cli/session/session.h"
#include "ir/compilation.h"
#include "lowering/state/request.h"
#include "pipeline/pipeline_module.h"

namespace mtfc::cli {

/// Of a layout with a pipeline the module has the parts of all stages as programs of one text,
/// which is what there is to print and to count; `pipeline` has them dealt out to the stages, which
/// is what runs and what is priced. Stages with meshes of their own have no module together.
struct Programs {
  Compilation made;
  std::optional<PipelineModule> pipeline;

  /// A training step, as StepRunner takes it; empty if there is nothing to train.
  std::vector<StepProgram> step() const;
  bool has(std::string_view program) const;
  /// What each stage runs; without a pipeline the one module.
  std::vector<const Module*> stages() const;
};

/// Absent: as with states_for.
std::optional<Programs> programs_for(Session& session, const Model& model,
                                     const Assignment& assignment, const lowering::Request& request,
                                     int& status);

/// The module alone, for commands that know no stages.
std::optional<Module> lower_for(Session& session, const Model& model, const Assignment& assignment,
                                const lowering::Request& request, int& status);

/// As of ir/in_f64.h, of all stages.
Programs in_f64(Programs programs);
double rounding_unit(const Programs& programs);
/// Whether some of them round to fewer bits than f32 has.
bool rounds_to_16_bits(const Programs& programs);

}  // namespace mtfc::cli
