// Contractions as calls of the product library, cut in slabs of rows or columns of the result: each
// alone, or sums of several.
#pragma once
#include "kernels/dots.h"

namespace mtfc::runtime {

/// `plan` has the form products. onto: added to what the results hold.
void run_slabs(Pool& pool, const ContractPlan& plan, const Operands* operands, int count,
               bool onto);

/// The result of each sum, which its calls have in common, is what the first call gives plus what
/// the next one gives, and so on: the bits of calls that are stored and added. A slab of a product
/// is added while it is in the cache. onto: to what the results hold, the first call, too.
void run_summed_slabs(Pool& pool, const ContractPlan& plan, const Operands* operands, int sums,
                      int calls_of_sum, bool onto);

}  // namespace mtfc::runtime
