// Collectives between real processors. The network moves data; what is summed here has the bits
// that the simulated mesh gives (comm/exchange_spec.h), unless the layout leaves sums to the
// library.
#pragma once
#include <optional>

#include "comm/message.h"
#include "comm/sum.h"

namespace mtfc::runtime::net {

/// x: this rank's operands, y: its results, one of each for every tensor of the bucket, which
/// travels as one message; scratch: bucket_scratch(bucket) bytes. Returns the bytes that went to
/// other ranks.
std::int64_t exchange(Groups& groups, Pool& pool, const std::vector<ExchangeSpec>& bucket,
                      const void* const* x, void* const* y, void* scratch);

/// A bucket of all_reduces or reduce_scatters that is begun and awaited later. What it reads and
/// writes, and the bucket itself, are left alone until then.
class Begun final : public Underway {
 public:
  /// Returns the bytes that go to other ranks.
  std::int64_t begin(Groups& groups, Pool& pool, const std::vector<ExchangeSpec>& bucket,
                     const void* const* x, void* const* y);
  void finish();
  State advance(bool wait) override;

 private:
  Groups* groups_ = nullptr;
  std::optional<Message> message_;
  std::optional<Sum> sum_;  // while it is underway
  Lists lists_;
  std::vector<std::byte> room_;
  std::vector<void*> results_;
};

}  // namespace mtfc::runtime::net
