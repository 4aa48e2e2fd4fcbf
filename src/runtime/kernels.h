// The local kernels. Each takes one processor's shards; `coordinates` has one entry per mesh axis.
// All are deterministic: equal inputs give equal bits at any thread count. Nothing is allocated
// after `prepare` of a kernel that has one.
#pragma once
#include <cstdint>

#include "runtime/pool.h"
#include "runtime/spec.h"

namespace mtfc::runtime {

/// One call on one copy: pointers to shards and the processor's coordinates. Kernels take many
/// calls at once, so that a simulated mesh keeps all threads busy with small shards.
struct Call {
  const void* const* inputs = nullptr;
  void* const* outputs = nullptr;
  const std::int64_t* coordinates = nullptr;
};

void map(Pool& pool, const MapSpec& spec, const Call* calls, int count);
void contract(Pool& pool, const ContractSpec& spec, const Call* calls, int count);  // inputs a, b
void reduce(Pool& pool, const ReduceSpec& spec, const Call* calls, int count);
void copy(Pool& pool, const CopySpec& spec, const Call* calls, int count);
void gather(Pool& pool, const GatherSpec& spec, const Call* calls, int count);       // x, indices..
void scatter_add(Pool& pool, const ScatterAddSpec& spec, const Call* calls, int count);

/// y[i] = x_0[i] op x_1[i] op ... in ascending order: the only addition that collectives do.
/// `inputs` has `sources` pointers. bool: max and min only.
void combine(Pool& pool, DType dtype, ReduceKind kind, std::int64_t elements, int sources,
             const Call* calls, int count);

/// "avx512", "avx2" or "sse2": what map, reduce and the fallback product run with; and the product
/// library, "onednn" or "eigen". Chosen once, at the first use; MTFC_ISA=... lowers it.
const char* instruction_set();
const char* product_library();

}  // namespace mtfc::runtime
