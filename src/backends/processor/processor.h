// One processor of the mesh in this process, the others in other processes: the same programs that
// the simulated mesh runs, with the same kernels and the same bits.
#pragma once
#include <map>
#include <string>

#include "backends/simulator/prepared.h"
#include "ir/module.h"
#include "runtime/engine.h"
#include "runtime/pool.h"

namespace mtfc::backends {

class Processor : public runtime::Engine {
 public:
  /// The module's mesh has as many processors as the network has ranks. The network outlives it.
  Processor(Module module, runtime::net::Network& network, int threads);

  bool has_program(std::string_view program) const override;
  void run(std::string_view program, const runtime::Feeds& feeds,
           std::vector<runtime::Fetched>& fetched) override;
  std::vector<runtime::VariableInfo> variables() const override;
  runtime::HostTensor variable(std::string_view path) override;  // every rank calls it
  void set_variable(std::string_view path, const runtime::HostTensor& value) override;
  bool is_root() const override { return groups_.network().rank() == 0; }
  bool any(bool mine) override { return groups_.network().highest(mine ? 1 : 0) != 0; }
  runtime::Counters counters(std::string_view program) const override;

  const Module& module() const { return module_; }

 private:
  std::size_t number(std::string_view variable) const;

  const Module module_;
  runtime::Pool pool_;
  runtime::net::Groups groups_;
  Memory memory_;
  std::map<std::string, Prepared, std::less<>> programs_;
};

}  // namespace mtfc::backends
