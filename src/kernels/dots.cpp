#include "kernels/dots.h"

#include <algorithm>

#include "kernels/element_loops.h"
#include "kernels/scratch.h"
#include "support/rounding.h"

namespace mtfc::runtime {
namespace {

using Plan = ContractPlan;

// Single sums: segments of a run in any order, then added in ascending order.
class DotJob {
 public:
  DotJob(const Plan& plan, const Operands* operands, char* partial)
      : plan_(plan),
        operands_(operands),
        partial_(partial),
        size_(bytes_of(plan.compute)),
        results_(product(plan.outer)) {}

  std::int64_t tasks() const { return plan_.tasks(); }
  void task(std::int64_t i) const {
    const std::int64_t call = i / tasks();
    const std::int64_t begin = i % tasks() * plan_.items_per_task;
    const std::int64_t end = std::min(begin + plan_.items_per_task, plan_.items);
    if (plan_.segments == 1) return whole(operands_[call], begin, end);
    for (std::int64_t item = begin; item < end; ++item) segment(call, item);
  }
  void join(std::int64_t call) const {
    for (std::int64_t r = 0; r < results_; ++r) {
      const char* parts = partial_ + (call * plan_.items + r * plan_.segments) * size_;
      char* c = operands_[call].c + offset(2, r) * size_;
      if (plan_.compute == DType::f64) {
        sum<double>(parts, c);
      } else {
        sum<float>(parts, c);
      }
    }
  }

 private:
  std::int64_t offset(std::size_t tensor, std::int64_t at) const {
    return Walk(plan_.outer, plan_.outer.size(), tensor, at).offset();
  }
  template <class T>
  void sum(const char* parts, char* c) const {
    T total = 0;
    for (std::int64_t s = 0; s < plan_.segments; ++s) total += reinterpret_cast<const T*>(parts)[s];
    *reinterpret_cast<T*>(c) = total;
  }
  /// Short runs are many: their places are counted on, not found anew.
  void whole(const Operands& operands, std::int64_t begin, std::int64_t end) const {
    const BlockTable& table = blocks();
    const auto dot = plan_.compute == DType::f64 ? table.dot_f64 : table.dot_f32;
    const auto dots = plan_.compute == DType::f64 ? table.dots_f64 : table.dots_f32;
    Walk a(plan_.outer, plan_.outer.size(), 0, begin), b(plan_.outer, plan_.outer.size(), 1, begin);
    Walk c(plan_.outer, plan_.outer.size(), 2, begin);
    const bool along = plan_.a_stride == 1 && plan_.b_stride == 1;
    for (std::int64_t item = begin, n = 1; item < end; item += n) {
      char* y = operands.c + c.offset() * size_;
      const char *x = operands.a + a.offset() * size_, *z = operands.b + b.offset() * size_;
      n = along ? std::min(c.even(), end - item) : 1;
      if (along)
        dots(y, c.stride(), x, a.stride(), z, b.stride(), plan_.run, n);
      else
        dot(y, x, plan_.a_stride, z, plan_.b_stride, plan_.run);
      for (Walk* walk : {&a, &b, &c}) walk->advance(n);
    }
  }
  void segment(std::int64_t call, std::int64_t item) const {
    const Operands& operands = operands_[call];
    const std::int64_t r = item / plan_.segments, s = item % plan_.segments;
    const std::int64_t length = ceil_div(plan_.run, plan_.segments);
    const std::int64_t begin = s * length, n = std::min(length, plan_.run - begin);
    const char* a = operands.a + (offset(0, r) + begin * plan_.a_stride) * size_;
    const char* b = operands.b + (offset(1, r) + begin * plan_.b_stride) * size_;
    char* y = plan_.segments == 1 ? operands.c + offset(2, r) * size_
                                  : partial_ + (call * plan_.items + item) * size_;
    const BlockTable& table = blocks();
    (plan_.compute == DType::f64 ? table.dot_f64 : table.dot_f32)(y, a, plan_.a_stride, b,
                                                                  plan_.b_stride, n);
  }

  const Plan& plan_;
  const Operands* operands_;
  char* partial_;
  std::int64_t size_, results_;
};

}  // namespace

void run_dots(Pool& pool, const Plan& plan, const Operands* operands, int count) {
  thread_local Scratch memory;
  char* partial = nullptr;
  if (plan.segments > 1) {
    partial = memory.take(static_cast<std::size_t>(plan.items * count * bytes_of(plan.compute)));
  }
  const DotJob job(plan, operands, partial);
  pool.run(job.tasks() * count, [&job](std::int64_t i) { job.task(i); });
  if (plan.segments > 1) pool.run(count, [&job](std::int64_t i) { job.join(i); });
}

}  // namespace mtfc::runtime
