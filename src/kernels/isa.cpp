#include <string_view>

#include "kernels/element_loops.h"
#include "kernels/kernels.h"
#include "support/environment.h"

namespace mtfc::runtime {
namespace {

Isa best_isa() {
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

Isa choose_isa() {
  const std::string_view limit = environment("MTFC_ISA");
  const Isa best = best_isa();
  if (limit == "sse2" || limit == "baseline") return Isa::baseline;
  if (limit == "avx2" && best > Isa::avx2) return Isa::avx2;
  return best;
}

}  // namespace

Isa isa() {
  static const Isa chosen = choose_isa();
  return chosen;
}

const BlockTable* blocks_of(Isa isa) {
  if (isa > best_isa()) return nullptr;
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

const char* instruction_set() {
#if defined(__x86_64__)
  constexpr const char* names[] = {"sse2", "avx2", "avx512"};
#else
  constexpr const char* names[] = {"baseline"};
#endif
  return names[static_cast<int>(isa())];
}

}  // namespace mtfc::runtime
