// A value of a simulated mesh that is the sum of some small products and a part of a sum over
// processors (gradients by queries, keys and values): products, additions and the sum are one
// kernel, and what lies between them is never in memory. The same products and additions in the
// same order: no bit depends on it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "backends/execute/distinct_shards.h"
#include "bind/bind.h"
#include "kernels/contract.h"
#include "support/aligned_bytes.h"

namespace mtfc::backends {

class SumOfProducts {
 public:
  /// An operand that something else overwrites before all products are computed.
  struct Aside {
    std::size_t product = 0;  // the instruction that would have read it
    const std::byte* from = nullptr;
    AlignedBytes copy;
  };

  SumOfProducts() = default;
  SumOfProducts(SumOfProducts&&) = default;  // calls point into the tables
  SumOfProducts& operator=(SumOfProducts&&) = default;

  /// In place of the instruction `at`, which is one of `instructions`. True at the sum.
  bool run(runtime::Pool& pool, std::size_t at);

  std::vector<std::size_t> instructions;  // products, their additions and the sum, ascending
  std::size_t last_product = 0;
  std::vector<Aside> aside;
  std::shared_ptr<const runtime::PreparedContract> prepared;
  std::vector<const void*> inputs;
  std::vector<void*> outputs;        // one of each sum
  std::vector<runtime::Call> calls;  // by sum, by part, in the order of additions
  std::int64_t calls_of_sum = 1, calls_of_part = 1;
  AlignedBytes sums;
  std::byte* belong = nullptr;  // where they are put at the sum
  std::int64_t sent = 0;        // bytes that one processor would send
};

/// None of a real rank, whose values have one part. `bound` and `buffers` (by ValueId, with
/// addresses) are of the program; `least` as of MemoryOptions::least_sum, of one product.
std::vector<SumOfProducts> find_sums_of_products(const bind::Context& context,
                                                 const Program& program,
                                                 const std::vector<bind::Bound>& bound,
                                                 const std::vector<Buffer>& buffers,
                                                 std::int64_t least);

}  // namespace mtfc::backends
