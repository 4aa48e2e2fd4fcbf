// A product whose results are parts of sums over processors of a simulated mesh, and the sum: each
// part is added where it belongs as soon as it is computed, while it is still in the cache, and
// never in memory. The same products and additions in the same order: no bit depends on it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "backends/execute/distinct_shards.h"
#include "bind/bind.h"
#include "kernels/contract.h"

namespace mtfc::backends {

struct SummedParts {
  SummedParts() = default;
  SummedParts(SummedParts&&) = default;  // calls point into the tables

  runtime::ContractSpec spec;
  std::shared_ptr<const runtime::PreparedContract> prepared;
  std::vector<const void*> inputs;   // two of each part
  std::vector<void*> results;        // one of each sum
  std::vector<runtime::Call> parts;  // of each sum, in the order in which they are added
  std::int64_t parts_of_sum = 1;
  std::int64_t sent = 0;  // bytes that one processor would send

  /// Where the sums belong, if that is memory of the operands: results are memory of the parts
  /// then, from the first one on.
  std::byte* belong = nullptr;
  std::int64_t bytes = 0;  // of all sums

  /// A sum may be one thread's work: there must be enough of them.
  bool keeps_busy(const runtime::Pool& pool) const;
  void run(runtime::Pool& pool) const;

 private:
  void run_one_by_one(runtime::Pool& pool) const;
};

/// By the contraction's number; the next instruction is its sum. `bound` and `buffers` (by ValueId,
/// with addresses) are of the program; `least` as of MemoryOptions::least_sum.
std::map<std::size_t, SummedParts> find_summed_parts(const Mesh& mesh, const Program& program,
                                                     const std::vector<bind::Bound>& bound,
                                                     const std::vector<Buffer>& buffers,
                                                     std::int64_t least);

}  // namespace mtfc::backends
