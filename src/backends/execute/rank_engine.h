// One processor of the mesh in this process, the others in other processes: the same programs that
// the simulated mesh runs, with the same kernels and the same bits.
#pragma once
#include <map>
#include <string>

#include "backends/execute/executable.h"
#include "backends/execute/module_engine.h"
#include "kernels/pool.h"

namespace mtfc::backends {

class Processor : public ModuleEngine {
 public:
  /// The module's mesh has as many processors as the network has ranks. The network outlives it.
  Processor(Module module, runtime::net::Network& network, int threads);

  void run(std::string_view program, const runtime::Feeds& feeds,
           std::vector<runtime::Fetched>& fetched) override;
  runtime::HostTensor variable(std::string_view path) override;  // every rank calls it
  void set_variable(std::string_view path, const runtime::HostTensor& value) override;
  runtime::Counters counters(std::string_view program) const override;
  runtime::Block input_part(std::string_view input,
                            const std::vector<std::int64_t>& extents) const override;
  std::vector<runtime::Share> shares() const override;
  runtime::HostTensor part(std::string_view path) override;
  void set_part(std::string_view path, const runtime::HostTensor& value) override;
  runtime::net::Network& network() const override { return groups_.network(); }

 private:
  runtime::net::ShardedTensor tensor(const ShardType& type) const;

  runtime::Pool pool_;
  runtime::net::Groups groups_;
  Memory memory_;
  std::map<std::string, Prepared, std::less<>> programs_;
};

}  // namespace mtfc::backends
