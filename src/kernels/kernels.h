// The local kernels. Each takes one processor's shards; `coordinates` has one entry per mesh axis.
// All are deterministic: equal inputs give equal bits at any thread count. The first use of a spec
// plans it and may allocate; later uses of an equal spec on the same thread do not.
#pragma once
#include <cstdint>

#include "kernels/pool.h"
#include "kernels/spec.h"

namespace mtfc::runtime {

/// One call on one copy: pointers to shards and the processor's coordinates. Kernels take many
/// calls at once, so that a simulated mesh keeps all threads busy with small shards.
struct Call {
  const void* const* inputs = nullptr;
  void* const* outputs = nullptr;
  const std::int64_t* coordinates = nullptr;
};

/// A result may be the same memory as an operand that is read densely in the order of the result
/// and has its element size. Casts to int take NaN to 0.
void map(Pool& pool, const MapSpec& spec, const Call* calls, int count);
void contract(Pool& pool, const ContractSpec& spec, const Call* calls, int count);  // inputs a, b
/// Empty: 0; of max and min of floats -inf and inf, of int the lowest and highest, of bool 0 and 1.
void reduce(Pool& pool, const ReduceSpec& spec, const Call* calls, int count);
void copy(Pool& pool, const CopySpec& spec, const Call* calls, int count);
void gather(Pool& pool, const GatherSpec& spec, const Call* calls, int count);  // x, indices..
/// f16 and bf16 add in f32 and round once.
void scatter_add(Pool& pool, const ScatterAddSpec& spec, const Call* calls, int count);
/// Inputs y, x, position; the output may be y.
void put(Pool& pool, const PutSpec& spec, const Call* calls, int count);

void window(Pool& pool, const WindowSpec& spec, const Call* calls, int count);
/// f16 and bf16 add in f32 and round once.
void window_add(Pool& pool, const WindowAddSpec& spec, const Call* calls, int count);
void prefix_sum(Pool& pool, const PrefixSpec& spec, const Call* calls, int count);
void top_places(Pool& pool, const TopSpec& spec, const Call* calls, int count);

/// y[i] = x_0[i] op x_1[i] op ... in ascending order: the only addition that collectives do.
/// `inputs` has `sources` pointers, one of which may be y. f16 and bf16 add in f32 and round once.
/// bool: max and min only.
void combine(Pool& pool, DType dtype, Combine kind, std::int64_t elements, int sources,
             const Call* calls, int count);

/// "avx512", "avx2" or "sse2": what map, reduce and the fallback product run with; and the product
/// library, "onednn" or "eigen". Chosen once, at the first use; MTFC_ISA=... lowers it.
const char* instruction_set();
const char* product_library();

}  // namespace mtfc::runtime
