// window_add: the adjoint of window.
#pragma once
#include "kernels/window.h"

namespace mtfc::runtime {

/// x (x_size elements) zeroed, then x[what y[i] would be read from] += y[i]. The sums of one
/// element are added in an order that depends on the spec alone. Floats and int; f16 and bf16 add
/// in f32 and round once.
struct WindowAddSpec {
  WindowSpec window;
  std::int64_t x_size = 0;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("window", self.window);
    f("x_size", self.x_size);
  }
};

double flops(const WindowAddSpec& spec);
Pieces pieces(const WindowAddSpec& spec);
/// Input y, output x.
void window_add(Pool& pool, const WindowAddSpec& spec, const Call* calls, int count);

}  // namespace mtfc::runtime
