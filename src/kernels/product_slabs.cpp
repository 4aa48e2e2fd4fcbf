#include "kernels/product_slabs.h"

#include <algorithm>

#include "kernels/element_loops.h"
#include "kernels/scratch.h"

namespace mtfc::runtime {
namespace {

/// A part of the result of one call, and where operands of its products begin, in elements.
struct Slab {
  Gemm call;
  std::int64_t left = 0, right = 0, result = 0;
};

std::int64_t offset(const std::vector<Dim>& dims, std::size_t tensor, std::int64_t at) {
  return Walk(dims, dims.size(), tensor, at).offset();
}

Slab slab_of(const ContractPlan& plan, std::int64_t item) {
  const std::int64_t begin = item % plan.slabs * plan.slab, at = item / plan.slabs;
  Slab slab{plan.call};
  Gemm& g = slab.call;
  if (plan.cut_columns) {
    g.n = std::min(plan.slab, g.n - begin);
    slab.right = begin * (g.b_transposed ? g.ldb : 1);
    slab.result = begin;
  } else {
    g.m = std::min(plan.slab, g.m - begin);
    slab.left = begin * (g.a_transposed ? 1 : g.lda);
    slab.result = begin * g.ldc;
  }
  slab.left += offset(plan.outer, plan.swapped ? 1 : 0, at);
  slab.right += offset(plan.outer, plan.swapped ? 0 : 1, at);
  slab.result += offset(plan.outer, 2, at);
  return slab;
}

template <class T>
void multiply(const ContractPlan& plan, Slab slab, const Operands& operands, T* result, bool onto) {
  const auto* left = reinterpret_cast<const T*>(plan.swapped ? operands.b : operands.a);
  const auto* right = reinterpret_cast<const T*>(plan.swapped ? operands.a : operands.b);
  const std::int64_t terms = product(plan.inner);
  for (std::int64_t t = 0; t < terms; ++t) {
    slab.call.accumulate = onto || t > 0;
    gemm(slab.call, left + slab.left + offset(plan.inner, plan.swapped ? 1 : 0, t),
         right + slab.right + offset(plan.inner, plan.swapped ? 0 : 1, t), result);
  }
}

template <class T>
void add_rows(const Gemm& call, T* result, const T* next) {
  const OpBlock add = blocks().ops[static_cast<int>(ScalarOp::add)][sizeof(T) == sizeof(double)][0];
  for (std::int64_t row = 0; row < call.m; ++row, result += call.ldc, next += call.n) {
    const void* const terms[] = {result, next};
    add(result, terms, call.n);
  }
}

/// The slab of each call of a sum, one after the other.
template <class T>
void sum(const ContractPlan& plan, const Slab& slab, const Operands* operands, int calls,
         bool onto) {
  T* const result = reinterpret_cast<T*>(operands[0].c) + slab.result;
  if (!onto) multiply(plan, slab, operands[0], result, false);
  thread_local Scratch memory;
  Slab aside = slab;
  aside.call.ldc = aside.call.n;
  T* const next = reinterpret_cast<T*>(
      memory.take(static_cast<std::size_t>(aside.call.m * aside.call.n) * sizeof(T)));
  for (int call = onto ? 0 : 1; call < calls; ++call) {
    multiply(plan, aside, operands[call], next, false);
    add_rows(slab.call, result, next);
  }
}

/// `task(n, item)` for each item of the plan and each n of `count`.
template <class Task>
void for_each_item(Pool& pool, const ContractPlan& plan, int count, const Task& task) {
  pool.run(plan.tasks() * count, [&plan, &task](std::int64_t i) {
    const std::int64_t begin = i % plan.tasks() * plan.items_per_task;
    const std::int64_t end = std::min(begin + plan.items_per_task, plan.items);
    for (std::int64_t item = begin; item < end; ++item) task(i / plan.tasks(), item);
  });
}

}  // namespace

void run_slabs(Pool& pool, const ContractPlan& plan, const Operands* operands, int count,
               bool onto) {
  for_each_item(pool, plan, count, [&](std::int64_t call, std::int64_t item) {
    const Slab slab = slab_of(plan, item);
    const auto run = [&]<class T>(T* result) {
      multiply(plan, slab, operands[call], result + slab.result, onto);
    };
    char* const result = operands[call].c;
    if (plan.compute == DType::f64)
      run(reinterpret_cast<double*>(result));
    else
      run(reinterpret_cast<float*>(result));
  });
}

void run_summed_slabs(Pool& pool, const ContractPlan& plan, const Operands* operands, int sums,
                      int calls_of_sum, bool onto) {
  for_each_item(pool, plan, sums, [&](std::int64_t s, std::int64_t item) {
    const auto run = plan.compute == DType::f64 ? sum<double> : sum<float>;
    run(plan, slab_of(plan, item), operands + s * calls_of_sum, calls_of_sum, onto);
  });
}

}  // namespace mtfc::runtime
