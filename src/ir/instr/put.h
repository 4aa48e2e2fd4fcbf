// One entry of a tensor replaced, at a position known when the program runs.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// Operands y, x, position (an i32 scalar): y with the entry x at `position` along `dim`. x has
/// `entry`, of size 1, instead of `dim`. Outside the dimension nothing is put. If dim is split,
/// only the owner of the position changes anything.
struct Put {
  static constexpr std::string_view kName = "put";
  static constexpr std::size_t kOverwrites = 0;
  DimId dim, entry;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dim", self.dim);
    f("entry", self.entry);
  }

  std::string check(const InstrContext& c) const {
    if (std::string error = counts(c, 3, 1); !error.empty()) return error;
    const ShardType &y = c.in[0], &x = c.in[1];
    if (c.in[2].tensor != TensorType{DType::i32, {}}) return "the position is not one int";
    if (y != c.out[0] || x.tensor.dtype != y.tensor.dtype) return "the type changes";
    DimList expected = without(y.tensor.dims, {dim});
    expected.push_back(entry);
    if (!contains(y.tensor.dims, dim) || !same_set(expected, x.tensor.dims))
      return "the entry has other dimensions";
    if (contains(y.tensor.dims, entry)) return "the entry's dimension is in the tensor";
    if (c.dims.size(entry) != 1) return "the entry has more than one position";
    return aligned(x, y);
  }
  PartialResult partial(const ShardTypes& in, bool) const { return never_partial(in); }

  friend bool operator==(const Put&, const Put&) = default;
};

}  // namespace mtfc
