#include <algorithm>

#include "kernels/element_loops.h"
#include "kernels/kernels.h"
#include "support/environment.h"

namespace mtfc::runtime {
namespace {

Isa isa_of_machine() {
#if defined(__x86_64__) && !defined(MTFC_ONE_ISA)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("fma")) {
    return Isa::avx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Isa::avx2;
#endif
  return Isa::baseline;
}

}  // namespace

Isa best_isa() {
  return std::min(isa_of_machine(), isa_called(environment("MTFC_ISA")).value_or(Isa::avx512));
}

Isa isa() {
  static const Isa chosen = best_isa();
  return chosen;
}

const BlockTable* blocks_of(Isa isa) {
  if (isa > isa_of_machine()) return nullptr;
#if defined(__x86_64__) && !defined(MTFC_ONE_ISA)
  if (isa == Isa::avx512) return &avx512::table();
  if (isa == Isa::avx2) return &avx2::table();
#endif
  return &baseline::table();
}

const BlockTable& blocks() {
  static const BlockTable& table = *blocks_of(isa());
  return table;
}

const char* instruction_set() { return name(isa()).data(); }

}  // namespace mtfc::runtime
