#include "draw/step_programs.h"

#include "support/program_names.h"

namespace mtfc::draw {

std::vector<const Program*> programs_of(const Module& module) {
  std::vector<const Program*> programs;
  for (const StepProgram& step : module.step) programs.push_back(module.find(step.program));
  if (const Program* run = module.find(program_names::run); programs.empty() && run)
    programs.push_back(run);
  return programs;
}

}  // namespace mtfc::draw
