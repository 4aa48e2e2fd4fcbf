// window: a tensor read at positions that move with the result's.
#pragma once
#include <cstddef>

#include "kernels/kernel.h"

namespace mtfc::runtime {

/// y[i] = x[sum_d i_d * x_strides_d + sum_j p_j(i) * x_stride_j], with the coordinate p_j(i) =
/// begin_j + sum_d i_d * scales_jd along dimension number j of x's indexed ones, or `fill` if some
/// p_j is outside [0, extent_j).
struct WindowSpec {
  struct Item {
    std::vector<std::int64_t> scales;  // per dimension of y
    Offset begin;
    std::int64_t x_stride = 0, extent = 0;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("scales", self.scales);
      f("begin", self.begin);
      f("x_stride", self.x_stride);
      f("extent", self.extent);
    }
  };
  static constexpr std::size_t kMostItems = 8;
  DType dtype{};
  std::vector<std::int64_t> extents;    // of y, dense
  std::vector<std::int64_t> x_strides;  // per dimension of y, 0 where x lacks it
  std::vector<Item> items;
  double fill = 0;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dtype", self.dtype);
    f("extents", self.extents);
    f("x_strides", self.x_strides);
    f("items", self.items);
    f("fill", self.fill);
  }
};

inline double flops(const WindowSpec&) { return 0; }
Pieces pieces(const WindowSpec& spec);
void window(Pool& pool, const WindowSpec& spec, const Call* calls, int count);

}  // namespace mtfc::runtime
