// The collectives of one real rank, synchronous and asynchronous, and how they are counted.
#pragma once
#include <map>
#include <memory>
#include <string>

#include "comm/async_sum.h"
#include "comm/groups.h"
#include "comm/work_counters.h"

namespace mtfc::runtime {

/// The counter of one bucket; `sent` is what one processor sends if nothing else is known.
Counters::Collective counted(const std::vector<ExchangeSpec>& bucket, std::string axes);

}  // namespace mtfc::runtime

namespace mtfc::runtime::net {

class Collectives {
 public:
  explicit Collectives(Groups& groups) : groups_(groups) {}

  /// Runs a bucket, or starts it if it is asynchronous: then the bucket, operands x and results y
  /// stay as they are until wait, and there is no scratch. Returns the bytes sent to other ranks.
  std::int64_t run(Pool& pool, const std::vector<ExchangeSpec>& bucket, const void* const* x,
                   void* const* y, void* scratch);
  /// Ends the asynchronous bucket whose first result is at this address.
  void wait(const void* first_result);

 private:
  Groups& groups_;
  std::map<const void*, std::unique_ptr<AsyncSum>> async_sums_;  // by first result
};

}  // namespace mtfc::runtime::net
