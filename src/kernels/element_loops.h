// The loops over elements, as tables of functions: everything that is compiled once per
// instruction set (isa/). A block holds its numbers in one of four representations; f16 and bf16
// are held as f32, and become 16 bits when they are stored.
#pragma once
#include <cstddef>
#include <cstdint>

#include "support/combine.h"
#include "support/dtype.h"
#include "support/instruction_set.h"
#include "support/scalar.h"

namespace mtfc::runtime {

enum class Repr : std::uint8_t { f32, f64, i32, boolean };
constexpr int kReprs = 4;
constexpr int kDTypes = 6;

constexpr Repr repr_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return Repr::f64;
    case DType::i32:
      return Repr::i32;
    case DType::boolean:
      return Repr::boolean;
    default:
      return Repr::f32;
  }
}
constexpr std::int64_t bytes_of(Repr repr) {
  constexpr std::int64_t bytes[] = {4, 8, 4, 1};
  return bytes[static_cast<int>(repr)];
}
constexpr std::int64_t bytes_of(DType dtype) {
  constexpr std::int64_t bytes[] = {4, 8, 2, 2, 4, 1};
  return bytes[static_cast<int>(dtype)];
}

/// y[i] = op(args[0][i], ..) for i < n.
using OpBlock = void (*)(void* y, const void* const* args, std::int64_t n);
/// The operations of f32 of which two in a row are one step, so that what lies between them is
/// never stored: (args[0] first args[1]) second args[2]. Each rounds, as alone.
constexpr ScalarOp kFirstOps[] = {ScalarOp::add, ScalarOp::sub, ScalarOp::mul};
constexpr int kFirsts = 3;
enum class Second : std::uint8_t { add, sub, sub_from, mul };  // sub_from: args[2] - (..)
constexpr int kSeconds = 4;
/// y[r * columns + c] = x[r * row_stride + c * column_stride], converted.
using LoadBlock = void (*)(void* y, const void* x, std::int64_t rows, std::int64_t row_stride,
                           std::int64_t columns, std::int64_t column_stride);
/// y[i] = x[i], converted.
using ConvertBlock = void (*)(void* y, const void* x, std::int64_t n);
/// y[r * columns + c] = x[r].
using ExpandBlock = void (*)(void* y, const void* x, std::int64_t rows, std::int64_t columns);
/// y[r * columns + c] = start + r * row_stride + c * column_stride.
using IotaBlock = void (*)(std::int32_t* y, std::int64_t start, std::int64_t rows,
                           std::int64_t row_stride, std::int64_t columns,
                           std::int64_t column_stride);

/// y[j] = fold over t < count, i < length of x[offsets[t] + j * y_stride + i * stride], for j < n.
/// `rows` keeps 16 (f64: 8) partial results, element i in lane i mod 16, joined by a fixed tree.
/// `columns` has length 1 and adds in ascending t.
struct FoldArgs {
  const void* x = nullptr;
  const std::int64_t* offsets = nullptr;
  std::int64_t count = 0;
  std::int64_t length = 1, stride = 1;
  std::int64_t y_stride = 1, n = 0;
};
using FoldBlock = void (*)(void* y, const FoldArgs& args);

/// Sample number `start + i * stride` of a stream, for i < n, in representation repr_of(dtype).
struct SampleArgs {
  Distribution distribution{};
  DType dtype{};
  double a = 0, b = 0;
  std::uint64_t key = 0;
  std::uint32_t step = 0;
};
using SampleBlock = void (*)(void* y, const SampleArgs& args, std::int64_t start,
                             std::int64_t stride, std::int64_t n);
/// Word i % 4 of Philox4x32-10 at counter (i / 4, i / 2^34, step, plane), i = first ...
using WordsBlock = void (*)(std::uint32_t* y, std::uint64_t key, std::uint32_t step,
                            std::uint32_t plane, std::uint64_t first, std::int64_t n);
/// The sum of a[i * a_stride] * b[i * b_stride], in 16 (8) lanes as FoldBlock.
using DotBlock = void (*)(void* y, const void* a, std::int64_t a_stride, const void* b,
                          std::int64_t b_stride, std::int64_t n);
/// DotBlock for j < count, of numbers that lie side by side: a and b of the next one begin a_step
/// and b_step further on, its result is at y[j * y_step]. The same bits.
using DotsBlock = void (*)(void* y, std::int64_t y_step, const void* a, std::int64_t a_step,
                           const void* b, std::int64_t b_step, std::int64_t n, std::int64_t count);

struct BlockTable {
  const char* name = "";
  /// Last index: bit i says that argument i is one number for the whole block. Null: no such op.
  OpBlock ops[scalar_op_count][kReprs][8]{};
  OpBlock pairs[kFirsts][kSeconds][8]{};  // [first][second][arguments that are one number]
  ConvertBlock casts[kDTypes][kReprs]{};  // [to][from]: to the representation, rounded to the type
  ConvertBlock rounds[kDTypes]{};         // f16, bf16: to the nearest of the type, in place too
  LoadBlock loads[kDTypes]{};             // to the representation
  ConvertBlock stores[kDTypes]{};         // from the representation, rounded
  ExpandBlock expands[kReprs]{};
  IotaBlock iota = nullptr;
  FoldBlock fold_rows[kDTypes][3]{};  // [x][kind]
  FoldBlock fold_columns[kDTypes][3]{};
  SampleBlock sample = nullptr;
  WordsBlock words = nullptr;
  DotBlock dot_f32 = nullptr, dot_f64 = nullptr;
  DotsBlock dots_f32 = nullptr, dots_f64 = nullptr;
};

/// The table of the chosen instruction set.
const BlockTable& blocks();

namespace baseline {
const BlockTable& table();
}
#if defined(__x86_64__)
namespace avx2 {
const BlockTable& table();
}
namespace avx512 {
const BlockTable& table();
}
#endif

/// The one chosen, at the first use: best_isa() then.
Isa isa();
/// The best that this machine has and MTFC_ISA allows.
Isa best_isa();
/// The table of one set, or null if this machine lacks it: for the tests that compare bits.
const BlockTable* blocks_of(Isa isa);

}  // namespace mtfc::runtime
