// How a contraction becomes calls of a matrix product: which factors a call takes, which are
// looped over, what is packed before, and how the work is cut for threads.
#pragma once
#include <cstdint>
#include <vector>

#include "kernels/contract.h"
#include "kernels/extents.h"
#include "kernels/few_rows.h"
#include "kernels/gemm.h"
#include "kernels/small_product.h"
#include "support/rounding.h"

namespace mtfc::runtime {

struct ContractPlan {
  enum class Form : std::uint8_t {
    empty,     // no results, or a sum of nothing: zeros
    multiply,  // nothing is summed: a map
    dots,      // results are sums along one run of memory in both operands
    small,     // small products
    few_rows,  // a few rows with a matrix
    products,  // calls of gemm
  };
  enum Tensor : std::uint8_t { kA, kB, kC };

  Form form = Form::products;
  DType compute{};           // f32 or f64
  bool packed[3] = {};       // a tensor goes through a dense copy in `compute`
  std::vector<Dim> pack[3];  // of packed ones: dims with strides {in the tensor, in the copy}

  std::vector<Dim> outer;    // looped over, independent of each other; strides: a, b, c
  std::vector<Dim> inner;    // looped over and summed, in this order
  Gemm call;                 // one call's shape, before it is cut in slabs
  bool swapped = false;      // the call computes the transposed result from b and a
  bool cut_columns = false;  // slabs are of columns of the call's result, else of its rows
  std::int64_t slab = 0, slabs = 1;
  std::int64_t items = 1, items_per_task = 1;  // an item is one slab of one call
  std::int64_t tasks() const { return ceil_div(items, items_per_task); }

  SmallProduct small;  // of that form
  FewRows few_rows;    // of that form

  // Form dots: one run of each operand, cut in segments which are added in order.
  std::int64_t run = 1, a_stride = 1, b_stride = 1, segments = 1;
};

ContractPlan plan_contract(const ContractSpec& spec);

}  // namespace mtfc::runtime
