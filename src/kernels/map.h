// map: any scalar program over an iteration space, with broadcasts, indices and random samples.
#pragma once
#include "kernels/kernel.h"
#include "support/fields.h"
#include "support/scalar.h"

namespace mtfc::runtime {

/// results[r][i] = body(operands[..][i], i) for every i of an iteration space.
struct MapSpec {
  struct Operand {
    DType dtype{};
    std::vector<std::int64_t> strides;  // per iteration dimension; 0 where it is broadcast

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("dtype", self.dtype);
      f("strides", self.strides);
    }
  };
  struct IndexLeaf {
    int dim = 0;  // iteration dimension
    Offset offset;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("dim", self.dim);
      f("offset", self.offset);
    }
  };
  struct RandomLeaf {
    Distribution distribution{};
    double a = 0, b = 0;
    std::uint64_t key = 0;  // hash of (seed, path)
    int step_operand = -1;  // operand number of the i32 step scalar; -1: step 0
    std::vector<std::int64_t>
        strides;                    // of the random sample's GLOBAL shape, per iteration dimension
    std::vector<Offset> offsets;    // per iteration dimension: where the shard begins
    int first_operand = -1;         // operand number of the i32 number of the first example,
    std::int64_t first_stride = 0;  // and the examples' stride: evaluations; -1: example 0

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("distribution", self.distribution);
      f("a", self.a);
      f("b", self.b);
      f("key", Bits{self.key});
      f("step_operand", self.step_operand);
      f("strides", self.strides);
      f("offsets", self.offsets);
      f("first_operand", self.first_operand);
      f("first_stride", self.first_stride);
    }
  };
  std::vector<std::int64_t> extents;  // of the iteration space; results are dense in it
  std::vector<Operand> operands;
  std::vector<IndexLeaf> index_leaves;
  std::vector<RandomLeaf> random_leaves;
  ScalarProgram body;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("extents", self.extents);
    f("operands", self.operands);
    f("index_leaves", self.index_leaves);
    f("random_leaves", self.random_leaves);
    f("body", self.body);
  }
};

double flops(const MapSpec& spec);
/// A result may be the same memory as an operand that is read densely in the order of the result
/// and has its element size. Casts to int take NaN to 0.
void map(Pool& pool, const MapSpec& spec, const Call* calls, int count);

}  // namespace mtfc::runtime
