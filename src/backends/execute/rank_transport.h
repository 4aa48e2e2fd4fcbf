// One processor in this process, the others in other processes: the memory holds the one shard of
// each value that is this rank's, and collectives go over the network.
#pragma once
#include "backends/execute/transport.h"
#include "comm/collectives.h"

namespace mtfc::backends {

class RankTransport final : public Transport {
 public:
  /// The mesh has as many processors as there are ranks. `groups` outlives it.
  RankTransport(const bind::Context& context, runtime::net::Groups& groups)
      : context_(context),
        groups_(groups),
        collectives_(groups),
        shard_(DistinctShards::of_rank(context.mesh, groups.coordinates())) {}

  const DistinctShards& shards(const ShardType&) override { return shard_; }
  AlignedBytes allocate(std::int64_t bytes) override { return groups_.allocate(bytes); }
  std::int64_t scratch_bytes(const bind::Exchanges& bucket,
                             const std::vector<Buffer>& operands) const override;
  Collective collective(const bind::Exchanges& bucket, const InstructionBuffers& buffers) override;
  void advance() override { groups_.advance(); }
  FeedCopy feed(const std::string& input, const ShardType& type, const Buffer& to) override;
  FetchCopy fetch(const ShardType& type, const Buffer& from) override;

 private:
  const bind::Context context_;
  runtime::net::Groups& groups_;
  runtime::net::Collectives collectives_;
  const DistinctShards shard_;
};

}  // namespace mtfc::backends
