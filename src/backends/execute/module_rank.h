// The engine of one real rank that runs a module: the programs of the simulated mesh with the same
// kernels and the same bits.
#pragma once
#include "backends/execute/executor.h"
#include "backends/execute/observers.h"
#include "backends/execute/rank_transport.h"
#include "train/rank_engine.h"

namespace mtfc::backends {

class ModuleRank : public runtime::RankEngine, public Observable {
 public:
  /// The module's mesh has as many processors as the network has ranks. The network outlives it.
  ModuleRank(Module module, runtime::net::Network& network, int threads);

  const Module& module() const { return module_; }
  bool has_program(std::string_view program) const override { return module_.find(program); }
  void run(std::string_view program, const runtime::Feeds& feeds,
           std::vector<runtime::Fetched>& fetched) override;
  runtime::Counters counters(std::string_view program) const override;
  void give_back_memory() override { executor_.give_back_memory(); }
  void observe(const Observers& observers) override { observers_ = observers; }
  void prepare() override { executor_.prepare(); }

 private:
  const Module module_;
  RankTransport transport_;
  Executor executor_;
  Observers observers_;
};

}  // namespace mtfc::backends
