// copy: transposes, views, slices, pads.
#pragma once
#include <cstddef>

#include "kernels/kernel.h"

namespace mtfc::runtime {

/// y[sum i * y_strides + y_base] = x[sum i * x_strides + x_base] for every i within `extents`.
struct CopySpec {
  std::size_t element_size = 4;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> x_strides, y_strides;
  Offset x_base, y_base;
  bool zero_y_first = false;  // y has y_size elements, all zeroed before (pad)
  std::int64_t y_size = 0;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("element_size", self.element_size);
    f("extents", self.extents);
    f("x_strides", self.x_strides);
    f("y_strides", self.y_strides);
    f("x_base", self.x_base);
    f("y_base", self.y_base);
    f("zero_y_first", self.zero_y_first);
    f("y_size", self.y_size);
  }
};

inline double flops(const CopySpec&) { return 0; }
Pieces pieces(const CopySpec& spec);
void copy(Pool& pool, const CopySpec& spec, const Call* calls, int count);

}  // namespace mtfc::runtime
