// Collectives between real processors. The network moves data; what is summed here has the bits that
// the simulated mesh gives (runtime/exchange.h), unless the layout leaves sums to the library.
#pragma once
#include "runtime/exchange.h"
#include "runtime/net/groups.h"
#include "runtime/pool.h"

namespace mtfc::runtime::net {

/// x: this rank's operand, y: its result, scratch: exchange_scratch(spec) bytes. Returns the bytes
/// that went to other ranks.
std::int64_t exchange(Groups& groups, Pool& pool, const ExchangeSpec& spec, const void* x, void* y,
                      void* scratch);

/// The same for a bucket, which travels as one message. scratch: bucket_scratch(bucket) bytes.
std::int64_t exchange(Groups& groups, Pool& pool, const std::vector<ExchangeSpec>& bucket,
                      const void* const* x, void* const* y, void* scratch);

// What the two ways of summing share: everybody adds one part of the elements, the last part being
// shorter.
/// Room for one's own part of everybody's elements.
std::int64_t received_elements(const ExchangeSpec& spec);
/// Who sends how much to whom; returns the length of member `number`'s part.
std::int64_t share_out(const ExchangeSpec& spec, int number, Lists& lists);

/// A bucket of all_reduces, or one reduce_scatter, that is begun and awaited later. What it reads
/// and writes is left alone until then.
class Begun final : public Underway {
 public:
  Begun();
  ~Begun() override;
  /// Returns the bytes that go to other ranks.
  std::int64_t begin(Groups& groups, Pool& pool, const std::vector<ExchangeSpec>& bucket,
                     const void* const* x, void* const* y);
  void finish();
  State advance(bool wait) override;

 private:
  struct Sum;
  std::unique_ptr<Sum> sum_;
};

}  // namespace mtfc::runtime::net
