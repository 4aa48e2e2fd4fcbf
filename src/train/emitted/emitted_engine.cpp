#include "train/emitted/emitted_engine.h"

#include "support/check.h"

namespace mtfc::runtime {

EmittedEngine::EmittedEngine(const EmittedModule& module, net::Network& network, int threads)
    : RankEngine(network, module.mesh.sizes(), threads),
      module_(module),
      processor_(module, pool(), groups()) {
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    const EmittedVariable& variable = module.variables[i];
    add_variable(info_of(variable), variable.form->tensor,
                 processor_.at(mtfc::runtime::variable(static_cast<int>(i))));
  }
  for (const EmittedInput& input : module.inputs) add_input(input.name, input.tensor);
}

int EmittedEngine::number(std::string_view program) const {
  for (std::size_t i = 0; i < module_.programs.size(); ++i)
    if (module_.programs[i].name == program) return static_cast<int>(i);
  return -1;
}

bool EmittedEngine::has_program(std::string_view program) const { return number(program) >= 0; }

void EmittedEngine::run(std::string_view program, const Feeds& feeds,
                        std::vector<Fetched>& fetched) {
  const int i = number(program);
  MTFC_CHECK(i >= 0, "no program " + std::string(program));
  processor_.run(static_cast<std::size_t>(i), feeds, fetched);
}

Counters EmittedEngine::counters(std::string_view program) const {
  const int i = number(program);
  return i < 0 ? Counters{} : processor_.counters(static_cast<std::size_t>(i));
}

}  // namespace mtfc::runtime
