// All kernels of kernels.def. Each takes one processor's shards. All are deterministic: equal
// inputs give equal bits at any thread count. The first use of a spec plans it and may allocate;
// later uses of an equal spec on the same thread do not.
#pragma once
#include "kernels/kernels.def"

namespace mtfc::runtime {

/// The kernel of a spec by overload, and the names of both: "map", "MapSpec".
#define MTFC_KERNEL(function, Spec)                                                    \
  inline void run_kernel(Pool& pool, const Spec& spec, const Call* calls, int count) { \
    function(pool, spec, calls, count);                                                \
  }                                                                                    \
  constexpr const char* kernel_name(const Spec&) { return #function; }                 \
  constexpr const char* spec_name(const Spec&) { return #Spec; }
#include "kernels/kernels.def"
#undef MTFC_KERNEL

/// "avx512", "avx2" or "sse2": what map, reduce and the fallback product run with. Chosen once, at
/// the first use; MTFC_ISA=... lowers it.
const char* instruction_set();

}  // namespace mtfc::runtime
