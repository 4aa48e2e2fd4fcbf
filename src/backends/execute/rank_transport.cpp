#include "backends/execute/rank_transport.h"

#include <memory>

#include "bind/sharded_tensor.h"
#include "support/check.h"

namespace mtfc::backends {
namespace {

/// A bucket with the addresses of its tensors. It stays where it is while the bucket is in_flight.
struct Addressed {
  bind::Exchanges bucket;
  std::vector<const void*> operands;
  std::vector<void*> results;
  std::byte* scratch;
};

}  // namespace

std::int64_t RankTransport::scratch_bytes(const bind::Exchanges& bucket,
                                          const std::vector<Buffer>&) const {
  return bind::scratch_of(bucket);
}

Collective RankTransport::collective(const bind::Exchanges& bucket,
                                     const InstructionBuffers& buffers) {
  const auto one = std::make_shared<Addressed>(Addressed{bucket, {}, {}, buffers.scratch});
  for (const Buffer& operand : buffers.operands) one->operands.push_back(operand.base);
  for (const Buffer& result : buffers.results) one->results.push_back(result.base);
  const auto run = [this, one](runtime::Pool& pool) {
    return collectives_.run(pool, one->bucket, one->operands.data(), one->results.data(),
                            one->scratch);
  };
  return {run, [this, one] { collectives_.wait(one->results[0]); }};
}

FeedCopy RankTransport::feed(const std::string& input, const ShardType& type, const Buffer& to) {
  return [this, input, tensor = bind::sharded_tensor(context_, type), to](
             runtime::Pool& pool, const runtime::HostTensor& fed) {
    runtime::net::feed(groups_, pool, tensor, fed, input, to.base);
  };
}

FetchCopy RankTransport::fetch(const ShardType& type, const Buffer& from) {
  MTFC_CHECK(!type.sharding.is_partial(), "a partial value is fetched");
  return [this, tensor = bind::sharded_tensor(context_, type), from](runtime::Pool& pool) {
    return assembled(groups_, pool, tensor, from.base);
  };
}

}  // namespace mtfc::backends
