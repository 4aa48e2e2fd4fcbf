#include "backends/execute/module_rank.h"

#include "bind/sharded_tensor.h"

namespace mtfc::backends {

ModuleRank::ModuleRank(Module module, runtime::net::Network& network, int threads)
    : RankEngine(network, module.mesh.sizes(), threads),
      module_(std::move(module)),
      transport_({module_.dims, module_.mesh}, groups()),
      executor_(module_, transport_) {
  const bind::Context context = executor_.memory().context();
  const std::vector<runtime::VariableInfo> infos = variables_of(module_);
  for (std::size_t i = 0; i < infos.size(); ++i)
    add_variable(infos[i], bind::sharded_tensor(context, module_.variables[i].type),
                 executor_.memory().variable(i).base);
  for (const Program& program : module_.programs)
    for (const Instruction& at : program.instructions)
      if (const auto* feed = std::get_if<Feed>(&at.kind))
        add_input(feed->name, bind::sharded_tensor(context, program.at(at.results[0]).type));
}

void ModuleRank::run(std::string_view program, const runtime::Feeds& feeds,
                     std::vector<runtime::Fetched>& fetched) {
  observers_.run(module_, executor_.executable(program), pool(), feeds, fetched);
}

runtime::Counters ModuleRank::counters(std::string_view program) const {
  return executor_.counters(program);
}

}  // namespace mtfc::backends
