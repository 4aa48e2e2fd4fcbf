// combine: the only addition that collectives do. No instruction is bound to it, so it has no spec.
#pragma once
#include "kernels/kernel.h"
#include "support/combine.h"

namespace mtfc::runtime {

/// y[i] = x_0[i] op x_1[i] op ... in ascending order. `inputs` has `sources` pointers, one of which
/// may be y; `outputs` has `results`, each of which becomes y. f16 and bf16 add in f32 and round
/// once. bool: max and min only.
void combine(Pool& pool, DType dtype, Combine kind, std::int64_t elements, int sources,
             const Call* calls, int count, int results = 1);

}  // namespace mtfc::runtime
