// The engine of one real rank, up to what runs its programs: mtfc under mpirun and emitted programs
// have it in common.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "comm/groups.h"
#include "kernels/pool.h"
#include "train/engine.h"

namespace mtfc::runtime {

class RankEngine : public Engine {
 public:
  std::vector<VariableInfo> variables() const override;
  HostTensor variable(std::string_view path) override;  // every rank calls it
  void set_variable(std::string_view path, const HostTensor& value) override;
  Block input_part(std::string_view input, const std::vector<std::int64_t>& extents) const override;
  /// Whether a program is fed with the input.
  bool takes_input(std::string_view input) const;
  std::vector<Share> shares() const override;
  HostTensor part(std::string_view path) override;
  NotFinite worst_of(std::string_view path) override;
  void set_part(std::string_view path, const HostTensor& value) override;
  void spread(std::int64_t count, const std::function<void(std::int64_t)>& task) override {
    pool_.run(count, task);
  }
  net::Network& network() const override { return groups_.network(); }
  /// This rank's memory of a variable.
  std::span<std::byte> shard(std::string_view path) const;
  net::ShardRange range(std::string_view path) const;
  /// The ranks that hold the same shard of it; null: there is no other. Every rank calls it.
  net::Group* replicas(std::string_view path);

 protected:
  /// `mesh`: sizes of its axes, with as many processors as there are ranks. The network outlives
  /// it.
  RankEngine(net::Network& network, std::vector<std::int64_t> mesh, int threads);

  /// In the order of variables(). `shard`: its memory on this rank, which outlives the engine's
  /// use.
  void add_variable(VariableInfo info, net::ShardedTensor tensor, void* shard);
  /// One entry for each form in which a program is fed with the input.
  void add_input(std::string name, net::ShardedTensor tensor);

  Pool& pool() { return pool_; }
  net::Groups& groups() { return groups_; }

 private:
  struct Variable {
    VariableInfo info;
    void* shard;
  };
  struct Input {
    std::string name;
    net::ShardedTensor tensor;
  };
  /// There must be such a variable.
  std::size_t number(std::string_view path) const;

  Pool pool_;
  net::Groups groups_;
  std::vector<Variable> variables_;
  std::vector<net::ShardedTensor> tensors_;  // of the variables
  std::vector<Input> inputs_;
};

}  // namespace mtfc::runtime
