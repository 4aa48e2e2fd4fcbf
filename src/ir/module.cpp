#include "ir/module.h"

namespace mtfc {

const Program* Module::find(std::string_view program) const {
  for (const Program& p : programs) {
    if (p.name == program) return &p;
  }
  return nullptr;
}

const ModuleVariable* Module::find_variable(std::string_view path) const {
  for (const ModuleVariable& v : variables) {
    if (v.path == path) return &v;
  }
  return nullptr;
}

std::vector<CountedProgram> counted_programs(const Module& module) {
  std::vector<CountedProgram> programs;
  for (const StepProgram& step : module.step)
    programs.push_back({module.find(step.program), step.microbatches});
  if (const Program* run = module.find(program_names::run); programs.empty() && run)
    programs.push_back({run, 1});
  return programs;
}

}  // namespace mtfc
