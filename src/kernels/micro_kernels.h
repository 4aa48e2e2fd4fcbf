// Products of a few rows with a few vectors, all results of one in registers: what small products
// are made of (small_product.h). Each result is one chain of fused multiply-adds in ascending k,
// from 0, so that no bit depends on how a product is cut into tiles, or on the length of vectors.
#pragma once
#include <cstdint>

namespace mtfc::runtime {

/// Where the rows of a and the panel of b begin at k = 0.
struct MicroTerm {
  const float *a = nullptr, *b = nullptr;
};

/// c[c_rows[i] + j] = sum over the terms and p < k of
/// a[a_rows[i] + p * a_step] * b[p * b_step + j], for i < rows and j < vectors * lanes.
struct MicroTile {
  const std::int64_t *a_rows = nullptr, *c_rows = nullptr;
  std::int64_t a_step = 1, b_step = 0, k = 0;
  const MicroTerm* terms = nullptr;
  std::int64_t count = 1;  // of terms, at least 1
  std::int64_t part = 1;   // of these in a part of a sum of sums
  float* c = nullptr;
};
using MicroKernel = void (*)(const MicroTile& tile);

/// y[j * y_step + i] = x[i * x_step + j] for i < rows and j < columns.
using TransposeKernel = void (*)(const float* x, std::int64_t x_step, std::int64_t rows,
                                 std::int64_t columns, float* y, std::int64_t y_step);

/// c[i * c_pitch + j] = sum over p < k of x[i * x_pitch + p * x_step] * y[p * y_step + j], for
/// j < columns and as many i as the kernel has rows.
struct RowsTile {
  const float *x = nullptr, *y = nullptr;
  float* c = nullptr;
  std::int64_t x_pitch = 0, x_step = 1, y_step = 0, c_pitch = 0, k = 0, columns = 0;
};
using RowsKernel = void (*)(const RowsTile& tile);

constexpr int kRowsOfMatrix = 4;
constexpr int kMicroRows = 8, kMicroVectors = 6, kMostLanes = 16;

/// By [rows][vectors]; null where registers do not suffice.
struct MicroKernels {
  int lanes = 0;                                            // of a vector
  MicroKernel chains[kMicroRows + 1][kMicroVectors + 1]{};  // terms continue one chain
  MicroKernel sums[kMicroRows + 1][kMicroVectors + 1]{};    // a chain each, added in order
  MicroKernel nested[kMicroRows + 1][kMicroVectors + 1]{};  // sums of parts, sums of chains each
  RowsKernel few_rows[kRowsOfMatrix + 1]{};                 // by rows
  TransposeKernel transpose = nullptr;
};

/// The tile that results of so many rows and vectors are best cut in: of at most this size.
struct TileSize {
  std::int64_t rows = 1, vectors = 1;
};
TileSize best_tile(const MicroKernel (&kernels)[kMicroRows + 1][kMicroVectors + 1],
                   std::int64_t rows, std::int64_t vectors, std::int64_t k);

/// Of the chosen instruction set, or null: it has no fused multiply-adds.
const MicroKernels* micro_kernels();

#if defined(__x86_64__)
namespace avx2 {
const MicroKernels& micro_kernels();
}
namespace avx512 {
const MicroKernels& micro_kernels();
}
#endif

}  // namespace mtfc::runtime
