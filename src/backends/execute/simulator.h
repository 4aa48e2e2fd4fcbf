// The engine of a simulated mesh: all processors in one process, in lock-step, instruction by
// instruction.
#pragma once
#include <memory>
#include <string>

#include "backends/execute/executor.h"
#include "backends/execute/observers.h"
#include "kernels/pool.h"

namespace mtfc::backends {

struct SimulatorOptions {
  int threads = 0;            // <= 0: as many as the machine has
  bool all_replicas = false;  // compute every replica and compare (replicas.h)
  std::int64_t least_sum = MemoryOptions().least_sum;
  std::int64_t least_tile = MemoryOptions().least_tile;
};

class Simulator : public runtime::Engine, public Observable {
 public:
  explicit Simulator(Module module, SimulatorOptions options = {});
  ~Simulator() override;

  const Module& module() const { return module_; }
  bool has_program(std::string_view program) const override { return module_.find(program); }
  void run(std::string_view program, const runtime::Feeds& feeds,
           std::vector<runtime::Fetched>& fetched) override;
  std::vector<runtime::VariableInfo> variables() const override { return variables_of(module_); }
  runtime::HostTensor variable(std::string_view path) override;
  void set_variable(std::string_view path, const runtime::HostTensor& value) override;
  NotFinite worst_of(std::string_view path) override;
  runtime::Counters counters(std::string_view program) const override;
  void give_back_memory() override;
  void spread(std::int64_t count, const std::function<void(std::int64_t)>& task) override {
    pool_.run(count, task);
  }

  /// With all_replicas nobody looks on.
  void observe(const Observers& observers) override { observers_ = observers; }
  void prepare() override;

  /// With all_replicas: the first instruction whose replicas differed, or "".
  std::string replica_error() const { return replica_error_; }

 private:
  struct Run;  // an executor with its transport
  /// There must be such a variable.
  std::size_t number(std::string_view path) const;

  const Module module_;
  runtime::Pool pool_;
  std::unique_ptr<Run> shared_;
  std::unique_ptr<Run> replicas_;  // with all_replicas
  std::string replica_error_;
  Observers observers_;
};

}  // namespace mtfc::backends
