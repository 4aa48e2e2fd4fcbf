#include "backends/execute/simulator.h"

#include "backends/execute/replicas.h"
#include "backends/execute/simulated_mesh.h"
#include "support/check.h"

namespace mtfc::backends {

struct Simulator::Run {
  SimulatedMesh mesh;
  Executor executor;

  Run(const Module& module, bool all_replicas, const SimulatorOptions& options)
      : mesh({module.dims, module.mesh}, all_replicas),
        executor(module, mesh, {!all_replicas, options.least_sum, options.least_tile}) {}

  void load(runtime::Pool& pool, std::size_t variable, const runtime::HostTensor& value) {
    mesh.load(pool, type(variable), value, executor.memory().variable(variable));
  }
  runtime::HostTensor save(runtime::Pool& pool, std::size_t variable) {
    return mesh.save(pool, type(variable), executor.memory().variable(variable));
  }
  NotFinite worst_of(runtime::Pool& pool, std::size_t variable) {
    return mesh.worst_of(pool, type(variable), executor.memory().variable(variable));
  }
  const ShardType& type(std::size_t variable) const {
    return executor.module().variables[variable].type;
  }
};

Simulator::Simulator(Module module, SimulatorOptions options)
    : module_(std::move(module)),
      pool_(options.threads),
      shared_(std::make_unique<Run>(module_, false, options)) {
  if (options.all_replicas) replicas_ = std::make_unique<Run>(module_, true, options);
}
Simulator::~Simulator() = default;

void Simulator::run(std::string_view program, const runtime::Feeds& feeds,
                    std::vector<runtime::Fetched>& fetched) {
  Executable& shared = shared_->executor.executable(program);
  if (!replicas_) return observers_.run(module_, shared, pool_, feeds, fetched);
  const std::string differs = run_and_compare(
      pool_, module_, shared, replicas_->executor.executable(program), feeds, fetched);
  if (replica_error_.empty()) replica_error_ = differs;
}

void Simulator::prepare() { shared_->executor.prepare(); }

std::size_t Simulator::number(std::string_view path) const {
  for (std::size_t i = 0; i < module_.variables.size(); ++i)
    if (module_.variables[i].path == path) return i;
  MTFC_CHECK(false, "no variable " + std::string(path));
}

runtime::HostTensor Simulator::variable(std::string_view path) {
  return shared_->save(pool_, number(path));
}

NotFinite Simulator::worst_of(std::string_view path) {
  return shared_->worst_of(pool_, number(path));
}

void Simulator::set_variable(std::string_view path, const runtime::HostTensor& value) {
  shared_->load(pool_, number(path), value);
  if (replicas_) replicas_->load(pool_, number(path), value);
}

void Simulator::give_back_memory() {
  shared_->executor.give_back_memory();
  if (replicas_) replicas_->executor.give_back_memory();
}

runtime::Counters Simulator::counters(std::string_view program) const {
  return shared_->executor.counters(program);
}

}  // namespace mtfc::backends
