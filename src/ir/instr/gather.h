// Indexing by tensors, and its adjoint.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// Behind the first operand, one index for each indexed dimension.
inline std::string check_indices(const InstrContext& c, std::size_t dims) {
  return c.in.size() == dims + 1 && c.out.size() == 1 ? "" : "one index for each dimension";
}

/// Operands x, index...: index number j replaces dimension dims[j]. Out of range gives `fill`. If
/// an indexed dimension is split, the result is partial.
struct Gather {
  static constexpr std::string_view kName = "gather";
  DimList dims;
  double fill = 0;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dims", self.dims);
    f("fill", self.fill);
  }

  std::string check(const InstrContext& c) const { return check_indices(c, dims.size()); }
  PartialResult partial(const ShardTypes& in, bool) const {
    const Sharding& x = in[0].sharding;
    // A fill value that is not 0 must not be added once per processor.
    if (x.is_partial() && (fill != 0 || x.combine != Combine::sum)) return std::nullopt;
    for (std::size_t i = 1; i < in.size(); ++i)
      if (in[i].sharding.is_partial() || varies_along(in[i], x.partial)) return std::nullopt;
    PartialAxes made;
    for (DimId dim : dims) add_axes(made.axes, split_of(in[0], dim));
    add_axes(made.axes, x.partial);
    return made;
  }

  friend bool operator==(const Gather&, const Gather&) = default;
};
/// Operands y, index...: the adjoint of Gather; the result has `dims`, and lacks `reduced` (the
/// dimensions of y that the index tensors brought). Sums over equal places.
struct ScatterAdd {
  static constexpr std::string_view kName = "scatter_add";
  DimList dims;
  DimList reduced;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dims", self.dims);
    f("reduced", self.reduced);
  }

  std::string check(const InstrContext& c) const { return check_indices(c, dims.size()); }
  PartialResult partial(const ShardTypes& in, bool) const {
    return multilinear(in, 0, reduced, Combine::sum);
  }

  friend bool operator==(const ScatterAdd&, const ScatterAdd&) = default;
};

}  // namespace mtfc
