#include "backends/execute/simulator.h"

#include "backends/execute/executable.h"
#include "backends/execute/replicas.h"

namespace mtfc::backends {

struct Simulator::Machine {
  Memory memory;
  std::map<std::string, Prepared, std::less<>> programs;

  Machine(const Module& module, bool all_replicas) : memory(module, all_replicas) {}

  /// Prepared at its first run.
  Prepared& program(const Program& program) {
    return programs.try_emplace(program.name, memory, program).first->second;
  }
};

Simulator::Simulator(Module module, SimulatorOptions options)
    : ModuleEngine(std::move(module)),
      pool_(options.threads),
      machine_(std::make_unique<Machine>(this->module(), false)) {
  if (options.all_replicas) replicas_ = std::make_unique<Machine>(this->module(), true);
}
Simulator::~Simulator() = default;

void Simulator::run(std::string_view name, const runtime::Feeds& feeds,
                    std::vector<runtime::Fetched>& fetched) {
  const Program& one = program(name);
  Prepared& shared = machine_->program(one);
  if (!replicas_) return shared.run(pool_, feeds, fetched);
  if (!replica_error_.empty()) return;
  replica_error_ =
      run_and_compare(pool_, module(), shared, replicas_->program(one), feeds, fetched);
}

runtime::HostTensor Simulator::variable(std::string_view path) {
  return machine_->memory.save(pool_, number(path));
}

void Simulator::set_variable(std::string_view path, const runtime::HostTensor& value) {
  machine_->memory.load(pool_, number(path), value);
  if (replicas_) replicas_->memory.load(pool_, number(path), value);
}

runtime::Counters Simulator::counters(std::string_view program) const {
  const auto found = machine_->programs.find(program);
  return found == machine_->programs.end() ? runtime::Counters{} : found->second.counters();
}

}  // namespace mtfc::backends
