// A static range of a dimension, and its adjoint.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// x[dim = begin : begin + size(fresh) -> fresh]; dim is whole.
struct Slice {
  static constexpr std::string_view kName = "slice";
  DimId dim, fresh;
  std::int64_t begin = 0;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dim", self.dim);
    f("fresh", self.fresh);
    f("begin", self.begin);
  }
  friend bool operator==(const Slice&, const Slice&) = default;
};
/// The adjoint of slice: zeros of dim's size with x at `begin`; x has `fresh`, the result `dim`.
struct Pad {
  static constexpr std::string_view kName = "pad";
  DimId fresh, dim;
  std::int64_t begin = 0;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("fresh", self.fresh);
    f("dim", self.dim);
    f("begin", self.begin);
  }
  friend bool operator==(const Pad&, const Pad&) = default;
};

}  // namespace mtfc
