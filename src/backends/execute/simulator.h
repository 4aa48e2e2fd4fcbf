// The simulated mesh: all processors in one process, in lock-step, instruction by instruction.
#pragma once
#include <map>
#include <memory>
#include <string>

#include "backends/execute/module_engine.h"
#include "kernels/pool.h"

namespace mtfc::backends {

struct SimulatorOptions {
  int threads = 0;            // <= 0: as many as the machine has
  bool all_replicas = false;  // compute every replica and compare (replicas.h)
};

class Simulator : public ModuleEngine {
 public:
  explicit Simulator(Module module, SimulatorOptions options = {});
  ~Simulator() override;

  void run(std::string_view program, const runtime::Feeds& feeds,
           std::vector<runtime::Fetched>& fetched) override;
  runtime::HostTensor variable(std::string_view path) override;
  void set_variable(std::string_view path, const runtime::HostTensor& value) override;
  /// Of the program's last run; nothing before the first.
  runtime::Counters counters(std::string_view program) const override;

  /// With all_replicas. After a difference programs are no longer run.
  std::string replica_error() const override { return replica_error_; }

 private:
  struct Machine;  // a memory and the programs prepared for it

  runtime::Pool pool_;
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<Machine> replicas_;  // with all_replicas
  std::string replica_error_;
};

}  // namespace mtfc::backends
