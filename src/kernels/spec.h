// What one local instruction does to the shards of one processor, as plain numbers: no names, no
// types of the compiler. The same values drive the simulated mesh and emitted programs.
//
// Shards are dense, row-major. All strides count elements. `Offset` is how a processor's place in
// the mesh enters: the specs themselves are the same on every processor.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "support/combine.h"
#include "support/dtype.h"
#include "support/scalar.h"

namespace mtfc::runtime {

/// base + sum of coordinate[axis] * step: where a shard begins in the global tensor.
struct Offset {
  struct Term {
    int axis = 0;  // mesh axis number
    std::int64_t step = 0;
    friend bool operator==(const Term&, const Term&) = default;
  };
  std::int64_t base = 0;
  std::vector<Term> terms;

  std::int64_t at(const std::int64_t* coordinates) const {
    std::int64_t value = base;
    for (const Term& term : terms) value += coordinates[term.axis] * term.step;
    return value;
  }
  friend bool operator==(const Offset&, const Offset&) = default;
};

/// results[r][i] = body(operands[..][i], i) for every i of an iteration space.
struct MapSpec {
  struct Operand {
    DType dtype{};
    std::vector<std::int64_t> strides;  // per iteration dimension; 0 where it is broadcast
  };
  struct IndexLeaf {
    int dim = 0;  // iteration dimension
    Offset offset;
  };
  struct RandomLeaf {
    Draw draw{};
    double a = 0, b = 0;
    std::uint64_t key = 0;              // hash of (seed, path)
    int step_operand = -1;              // operand number of the i32 step scalar; -1: step 0
    std::vector<std::int64_t> strides;  // of the draw's GLOBAL shape, per iteration dimension
    std::vector<Offset> offsets;        // per iteration dimension: where the shard begins
    int first_operand = -1;             // operand number of the i32 number of the first example,
    std::int64_t first_stride = 0;      // and the examples' stride: evaluations; -1: example 0
  };
  std::vector<std::int64_t> extents;  // of the iteration space; results are dense in it
  std::vector<Operand> operands;
  std::vector<IndexLeaf> index_leaves;
  std::vector<RandomLeaf> random_leaves;
  ScalarProgram body;
};

/// c[batch.., m.., n..] = sum over k.. of a[batch.., m.., k..] * b[batch.., k.., n..], each factor
/// a set of dimensions with one stride per tensor. Floats; f16 and bf16 accumulate in f32.
/// Extents of 0 give zeros.
struct ContractSpec {
  struct Factor {
    std::int64_t extent = 1;
    std::int64_t a = 0, b = 0, c = 0;  // strides; 0 where the tensor lacks the dimension
  };
  DType a{}, b{}, c{};
  std::vector<Factor> batch;                        // in all three
  std::vector<Factor> m;                            // in a and c
  std::vector<Factor> n;                            // in b and c
  std::vector<Factor> k;                            // in a and b
  std::int64_t a_size = 0, b_size = 0, c_size = 0;  // elements
};

/// y[kept] = reduce over `reduced` of x[kept, reduced]. Sums of bool give i32; sums of f16 and bf16
/// accumulate in f32. The order of additions depends on extents only, never on threads. Empty: 0,
/// or the type's lowest or highest value.
struct ReduceSpec {
  DType x{}, y{};
  Combine kind{};
  std::vector<std::int64_t> kept_extents, kept_strides;  // of x; y is dense in kept order
  std::vector<std::int64_t> reduced_extents, reduced_strides;
};

/// y[i] = x[sum i * strides + base] over the dense extents of y: transposes, views, slices.
struct CopySpec {
  std::size_t element_size = 4;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> x_strides, y_strides;
  Offset x_base, y_base;
  bool zero_y_first = false;  // y has y_size elements, all zeroed before (pad)
  std::int64_t y_size = 0;
};

/// y[i] = x[base(i) + sum_j index_j(i) * stride_j], or `fill` if some index is outside this
/// processor's block [begin_j, begin_j + extent_j) (0 instead of `fill` where it is inside the
/// global extent: another processor has it and the partial sum adds up; `fill` is given by the
/// processor whose coordinates on the indexed dimensions' axes are all 0).
struct GatherSpec {
  DType dtype{};
  struct Index {
    std::vector<std::int64_t> strides;  // of the index tensor, per iteration dimension
    std::int64_t x_stride = 0;
    std::int64_t extent = 0;  // of x's shard
    std::int64_t global_extent = 0;
    Offset begin;
  };
  std::vector<std::int64_t> extents;    // of y, dense
  std::vector<std::int64_t> x_strides;  // per iteration dimension, 0 where x lacks it
  std::vector<Index> indices;
  double fill = 0;
};

/// The adjoint: y zeroed, then y[base(i) + sum_j index_j(i) * stride_j] += x[i] in ascending i for
/// every place inside the block. Same fields; `extents` are those of x (dense), `x_strides` and
/// `x_stride` are strides of y.
struct ScatterAddSpec {
  GatherSpec gather;
  std::int64_t y_size = 0;
};

/// y[.., position, ..] = x: one entry along a dimension of y, if the position (a third operand, one
/// i32) lies in this processor's block. The result is y with the entry, usually in y's own memory.
struct PutSpec {
  std::size_t element_size = 4;
  std::vector<std::int64_t> extents, x_strides, y_strides;  // of x, in the order of y
  std::int64_t y_stride = 0;                                // along the dimension of the position
  std::int64_t extent = 0;                                  // of y's shard along it,
  Offset begin;                                             // which begins here
  std::int64_t y_size = 0;
};

/// y[i] = x[sum_d i_d * x_strides_d + sum_j place_j(i) * x_stride_j], with place_j(i) = begin_j +
/// sum_d i_d * scales_jd along dimension number j of x's indexed ones, or `fill` if some place is
/// outside [0, extent_j). At most 8 items.
struct WindowSpec {
  struct Item {
    std::vector<std::int64_t> scales;  // per dimension of y
    Offset begin;
    std::int64_t x_stride = 0, extent = 0;
  };
  static constexpr std::size_t kMostItems = 8;
  DType dtype{};
  std::vector<std::int64_t> extents;    // of y, dense
  std::vector<std::int64_t> x_strides;  // per dimension of y, 0 where x lacks it
  std::vector<Item> items;
  double fill = 0;
};

/// The adjoint: x (x_size elements) zeroed, then x[place of i] += y[i]. A place's sums are added in
/// an order that depends on the spec alone. Floats and int.
struct WindowAddSpec {
  WindowSpec window;
  std::int64_t x_size = 0;
};

/// Running sums along the middle one of three dense dimensions; f16 and bf16 run in f32.
struct PrefixSpec {
  DType dtype{};
  std::int64_t outer = 1, length = 1, inner = 1;
  bool exclusive = false, reverse = false;
};

/// y[outer, ranks, inner] = the places (i32) of x[outer, length, inner] in descending order,
/// from rank `first` on; the first of equal ones first, NaN last.
struct TopSpec {
  DType dtype{};
  std::int64_t outer = 1, length = 1, first = 0, ranks = 1, inner = 1;
};

}  // namespace mtfc::runtime
