// All processors in one memory: a value is held once for all processors that its type says are
// equal, and collectives are kernels that read the shards of others.
#pragma once
#include <map>

#include "backends/execute/transport.h"

namespace mtfc::backends {

class SimulatedMesh final : public Transport {
 public:
  /// The tables behind `context` outlive it. all_replicas: every processor holds its own shard of
  /// everything.
  explicit SimulatedMesh(const bind::Context& context, bool all_replicas = false)
      : context_(context), all_replicas_(all_replicas) {}

  const DistinctShards& shards(const ShardType& type) override;
  std::int64_t scratch_bytes(const bind::Exchanges& bucket,
                             const std::vector<Buffer>& operands) const override;
  Collective collective(const bind::Exchanges& bucket, const InstructionBuffers& buffers) override;
  FeedCopy feed(const std::string& input, const ShardType& type, const Buffer& to) override;
  FetchCopy fetch(const ShardType& type, const Buffer& from) override;

  // --- Variables, in the form in which they are stored: whole and without padding.
  /// A partial sum is loaded into one of its parts, the others become zero.
  void load(runtime::Pool& pool, const ShardType& type, const runtime::HostTensor& value,
            const Buffer& to);
  /// Partial values are completed.
  runtime::HostTensor save(runtime::Pool& pool, const ShardType& type, const Buffer& from);
  /// The worst of what `save` gives, looked at where it is; of a partial value once it is complete.
  NotFinite worst_of(runtime::Pool& pool, const ShardType& type, const Buffer& of);

 private:
  const DistinctShards& shards_on(const std::vector<AxisId>& axes);
  std::vector<runtime::HostTensor> parts_of(runtime::Pool& pool, const ShardType& type,
                                            const Buffer& from);

  const bind::Context context_;
  const bool all_replicas_;
  std::map<std::vector<AxisId>, DistinctShards> shards_;  // by the axes along which they vary
};

}  // namespace mtfc::backends
