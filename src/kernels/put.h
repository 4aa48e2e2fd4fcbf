// put: one entry along a dimension replaced.
#pragma once
#include <cstddef>

#include "kernels/kernel.h"
#include "support/strides.h"

namespace mtfc::runtime {

/// y[.., position, ..] = x: one entry along a dimension of y, if the position (a third operand, one
/// i32) lies in this processor's block. The result is y with the entry, usually in y's own memory.
struct PutSpec {
  std::size_t element_size = 4;
  std::vector<std::int64_t> extents, x_strides, y_strides;  // of x, in the order of y
  std::int64_t y_stride = 0;                                // along the dimension of the position
  std::int64_t extent = 0;                                  // of y's shard along it,
  Offset begin;                                             // which begins here
  std::int64_t y_size = 0;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("element_size", self.element_size);
    f("extents", self.extents);
    f("x_strides", self.x_strides);
    f("y_strides", self.y_strides);
    f("y_stride", self.y_stride);
    f("extent", self.extent);
    f("begin", self.begin);
    f("y_size", self.y_size);
  }
};

inline double flops(const PutSpec&) { return 0; }
inline Pieces pieces(const PutSpec& spec) { return {1, 1, product(spec.extents)}; }
/// Inputs y, x, position; the output may be y.
void put(Pool& pool, const PutSpec& spec, const Call* calls, int count);

}  // namespace mtfc::runtime
