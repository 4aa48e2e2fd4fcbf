#include "cli/session/programs.h"

#include <algorithm>

#include "cli/session/dumps.h"
#include "ir/in_f64.h"
#include "lowering/stages/deal_out.h"
#include "pipeline/step_order.h"

namespace mtfc::cli {

std::vector<StepProgram> Programs::step() const {
  return pipeline ? pipeline::step_order(*pipeline) : made.module.step;
}

bool Programs::has(std::string_view program) const {
  return pipeline ? !pipeline->parts_of(program).empty() : made.module.find(program) != nullptr;
}

std::vector<const Module*> Programs::stages() const {
  std::vector<const Module*> all;
  if (!pipeline) all.push_back(&made.module);
  if (pipeline)
    for (const Module& stage : pipeline->stages) all.push_back(&stage);
  return all;
}

std::optional<Programs> programs_for(Session& session, const Model& model,
                                     const Assignment& assignment, const lowering::Request& request,
                                     int& status) {
  std::optional<lowering::StageStates> states =
      states_for(session, model, assignment, request, status);
  if (!states) return std::nullopt;
  std::optional<PipelineModule> pipeline;
  if (assignment.stages) pipeline = lowering::deal_out(*states);
  return Programs{std::move(states->whole.made), std::move(pipeline)};
}

std::optional<Module> lower_for(Session& session, const Model& model, const Assignment& assignment,
                                const lowering::Request& request, int& status) {
  std::optional<Programs> programs = programs_for(session, model, assignment, request, status);
  if (!programs) return std::nullopt;
  return std::move(programs->made.module);
}

Programs in_f64(Programs programs) {
  programs.made.module = mtfc::in_f64(std::move(programs.made.module));
  if (programs.pipeline)
    for (Module& stage : programs.pipeline->stages) stage = mtfc::in_f64(std::move(stage));
  return programs;
}

double rounding_unit(const Programs& programs) {
  double unit = 0;
  for (const Module* stage : programs.stages()) unit = std::max(unit, mtfc::rounding_unit(*stage));
  return unit;
}

bool rounds_to_16_bits(const Programs& programs) {
  return rounding_unit(programs) > mtfc::rounding_unit(DType::f32);
}

}  // namespace mtfc::cli
