// add_product: a contraction that is added to a sum.
#pragma once
#include "kernels/contract.h"

namespace mtfc::runtime {

/// sum + product, or where the number (i32) is 0 the product alone.
struct AddProductSpec {
  ContractSpec product;  // c: the sum

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("product", self.product);
  }
};

double flops(const AddProductSpec& spec);
/// Inputs a, b, sum; the output may be the sum's memory.
void add_to_sum(Pool& pool, const ContractSpec& product, const Call* calls, int count);
/// Inputs a, b, sum, number; the output may be the sum's memory. All calls have the same number.
void add_product(Pool& pool, const AddProductSpec& spec, const Call* calls, int count);

}  // namespace mtfc::runtime
