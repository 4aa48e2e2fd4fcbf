#include "kernels/combine.h"

#include <algorithm>

#include "kernels/element_loops.h"
#include "support/check.h"
#include "support/rounding.h"

namespace mtfc::runtime {
namespace {

constexpr std::int64_t kCombineBlock = 1024;
constexpr std::int64_t kCombineTask = 16 * kCombineBlock;

ScalarOp op_of(Combine kind) {
  return kind == Combine::sum   ? ScalarOp::add
         : kind == Combine::max ? ScalarOp::max
                                : ScalarOp::min;
}

struct CombineJob {
  const BlockTable& table;
  OpBlock op;
  DType dtype;
  std::int64_t elements;
  int sources, results;
  const Call* calls;
  std::int64_t tasks;

  // In a block of its own, because y may be one of the sources; f16 and bf16 round once, at the
  // end.
  void block(const Call& call, std::int64_t begin, std::int64_t n) const {
    alignas(64) double sum[kCombineBlock], next[kCombineBlock];
    const std::int64_t at = begin * bytes_of(dtype);
    for (int s = 0; s < sources; ++s) {
      const void* x = static_cast<const char*>(call.inputs[s]) + at;
      table.loads[static_cast<int>(dtype)](s == 0 ? sum : next, x, 1, 0, n, 1);
      if (s == 0) continue;
      const void* args[] = {sum, next};
      op(sum, args, n);
    }
    for (int r = 0; r < results; ++r)
      table.stores[static_cast<int>(dtype)](static_cast<char*>(call.outputs[r]) + at, sum, n);
  }

  void task(std::int64_t i) const {
    const Call& call = calls[i / tasks];
    const std::int64_t begin = i % tasks * kCombineTask;
    const std::int64_t end = std::min(begin + kCombineTask, elements);
    for (std::int64_t b = begin; b < end; b += kCombineBlock)
      block(call, b, std::min(kCombineBlock, end - b));
  }
};

}  // namespace

void combine(Pool& pool, DType dtype, Combine kind, std::int64_t elements, int sources,
             const Call* calls, int count, int results) {
  const OpBlock op =
      blocks().ops[static_cast<int>(op_of(kind))][static_cast<int>(repr_of(dtype))][0];
  MTFC_CHECK(op != nullptr, "sums of bool are counts, not bool");
  const CombineJob job{blocks(), op,      dtype, elements,
                       sources,  results, calls, ceil_div(elements, kCombineTask)};
  pool.run(job.tasks * count, [&job](std::int64_t i) { job.task(i); });
}

}  // namespace mtfc::runtime
