// Reading at affine indices, and its adjoint.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// As many as the kernels take.
constexpr std::size_t most_window_items = 8;

/// `x` is what is read in windows, `y` has the positions.
inline std::string check_window(const std::vector<WindowItem>& items, const ShardType& x,
                                const ShardType& y) {
  DimList indexed, positions;
  if (items.size() > most_window_items) return "too many items in a window";
  if (x.tensor.dtype != y.tensor.dtype) return "the element type changes";
  for (const WindowItem& item : items) {
    DimList terms;
    for (const Affine::Term& term : item.at.terms) terms.push_back(term.dim);
    if (!are_distinct(terms)) return "an index has two terms of one dimension";
    indexed.push_back(item.dim);
    for (const Affine::Term& term : item.at.terms) positions = union_of(positions, {term.dim});
  }
  if (!are_distinct(indexed)) return "a dimension is indexed twice";
  if (std::string error = not_split(x, indexed); !error.empty()) return error;
  const DimList rest = without(x.tensor.dims, indexed);
  if (!same_set(union_of(rest, positions), y.tensor.dims)) return "wrong resulting dimensions";
  for (DimId dim : rest)
    if (!same_split(x, y, dim)) return "a dimension beside the window is split differently";
  return "";
}

/// x with each item's dimension read at an affine place; outside of the dimension: `fill`. The
/// result has the items' dimensions in place of the indexed ones, which are whole in x.
struct Window {
  static constexpr std::string_view kName = "window";
  std::vector<WindowItem> items;
  double fill = 0;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("items", self.items);
    f("fill", self.fill);
  }

  std::string check(const InstrContext& c) const {
    if (std::string error = counts(c, 1, 1); !error.empty()) return error;
    return check_window(items, c.in[0], c.out[0]);
  }
  PartialResult partial(const ShardTypes& in, bool) const { return never_partial(in); }

  friend bool operator==(const Window&, const Window&) = default;
};
/// The adjoint of Window: sums of y over equal places. The result has the indexed dimensions,
/// whole, and lacks `reduced` (the items' dimensions that y has and the result has not, or has
/// indexed).
struct WindowAdd {
  static constexpr std::string_view kName = "window_add";
  std::vector<WindowItem> items;
  DimList reduced;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("items", self.items);
    f("reduced", self.reduced);
  }

  std::string check(const InstrContext& c) const {
    if (std::string error = counts(c, 1, 1); !error.empty()) return error;
    const ShardType &y = c.in[0], &x = c.out[0];
    if (y.tensor.dtype == DType::boolean) return "a sum of bool";
    DimList expected;
    for (DimId dim : y.tensor.dims)
      if (!contains(x.tensor.dims, dim) || is_indexed(items, dim)) expected.push_back(dim);
    if (!are_distinct(reduced) || !same_set(reduced, expected))
      return "other dimensions are reduced";
    return check_window(items, x, y);
  }
  PartialResult partial(const ShardTypes& in, bool) const {
    return multilinear(in, 0, reduced, Combine::sum);
  }
  Flops flops(const InstrContext& c) const { return {1, c.in[0]}; }

  friend bool operator==(const WindowAdd&, const WindowAdd&) = default;
};

}  // namespace mtfc
