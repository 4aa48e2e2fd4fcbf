#include "comm/collectives.h"

#include "comm/exchange.h"

namespace mtfc::runtime {

Counters::Collective counted(const std::vector<ExchangeSpec>& bucket, std::string axes) {
  Counters::Collective counter{
      std::string(name(bucket.at(0).kind)), std::move(axes), 1, 0, 0, sent_bytes(bucket)};
  for (const ExchangeSpec& spec : bucket) {
    const std::int64_t elements = counted_elements(spec);
    counter.elements += elements;
    counter.bytes += elements * static_cast<std::int64_t>(size_of(spec.dtype));
  }
  return counter;
}

}  // namespace mtfc::runtime

namespace mtfc::runtime::net {

std::int64_t Collectives::run(Pool& pool, const std::vector<ExchangeSpec>& bucket,
                              const void* const* x, void* const* y, void* scratch) {
  if (!bucket[0].async) return exchange(groups_, pool, bucket, x, y, scratch);
  std::unique_ptr<AsyncSum>& sum = async_sums_[y[0]];
  if (!sum) sum = std::make_unique<AsyncSum>();
  return sum->start(groups_, pool, bucket, x, y);
}

void Collectives::wait(const void* first_result) { async_sums_.at(first_result)->wait(); }

}  // namespace mtfc::runtime::net
