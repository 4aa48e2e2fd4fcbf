// Indices in descending order of the elements.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// The indices along `dim` of size(k) elements in descending order, from number `first` (0: the
/// largest) on, as i32; the first of equal ones first, NaN last. `dim` and `k` are not split.
struct TopK {
  static constexpr std::string_view kName = "top_k";
  DimId dim, k;
  std::int64_t first = 0;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dim", self.dim);
    f("first", self.first);
    f("k", self.k);
  }

  std::string check(const InstrContext& c) const {
    if (std::string error = counts(c, 1, 1); !error.empty()) return error;
    const ShardType &x = c.in[0], &y = c.out[0];
    if (std::string error = not_split(x, {dim}); !error.empty()) return error;
    if (std::string error = not_split(y, {k}); !error.empty()) return error;
    if (first < 0 || first > c.dims.size(dim) - c.dims.size(k)) return "more results than elements";
    if (replaced(x.tensor.dims, dim, k) != y.tensor.dims) return "wrong resulting dimensions";
    return y.tensor.dtype == DType::i32 ? aligned(x, y) : "the result is not int";
  }
  PartialResult partial(const ShardTypes& in, bool) const { return never_partial(in); }

  friend bool operator==(const TopK&, const TopK&) = default;
};

}  // namespace mtfc
