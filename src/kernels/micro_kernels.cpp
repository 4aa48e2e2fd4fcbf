#include "kernels/micro_kernels.h"

#include <algorithm>

#include "kernels/element_loops.h"
#include "kernels/extents.h"
#include "support/rounding.h"

namespace mtfc::runtime {
namespace {

// Cycles: loads and multiply-adds at two a cycle, chains of four a step; some for a tile's begin
// and end.
double time_of(std::int64_t rows, std::int64_t vectors, std::int64_t k) {
  const auto results = static_cast<double>(rows * vectors);
  const auto loads = static_cast<double>(rows + vectors);
  return static_cast<double>(k) * std::max({results / 2, loads / 2, 4.0}) + 14 + results;
}

}  // namespace

TileSize best_tile(const MicroKernel (&kernels)[kMicroRows + 1][kMicroVectors + 1],
                   std::int64_t rows, std::int64_t vectors, std::int64_t k) {
  TileSize best;
  double least = 0;
  for (std::int64_t r = 1; r <= std::min<std::int64_t>(rows, kMicroRows); ++r) {
    for (std::int64_t v = 1; v <= std::min<std::int64_t>(vectors, kMicroVectors); ++v) {
      if (kernels[r][v] == nullptr) continue;
      const auto tiles = static_cast<double>(ceil_div(rows, r) * ceil_div(vectors, v));
      const double time = tiles * time_of(r, v, k);
      if (least != 0 && time >= least) continue;
      least = time;
      best = {r, v};
    }
  }
  return best;
}

const MicroKernels* micro_kernels() {
#if defined(__x86_64__) && !defined(MTFC_ONE_ISA)
  if (isa() == Isa::avx512) return &avx512::micro_kernels();
  if (isa() == Isa::avx2) return &avx2::micro_kernels();
#endif
  return nullptr;
}

}  // namespace mtfc::runtime
