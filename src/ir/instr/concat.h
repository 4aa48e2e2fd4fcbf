// Tensors one after the other.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// The operands one after the other along `dim`. Operand i has operand_dims[i] in its place;
/// without `operand_dims` every operand is one element of `dim`. None of these dimensions is split.
struct Concat {
  static constexpr std::string_view kName = "concat";
  DimList operand_dims;
  DimId dim;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("operand_dims", self.operand_dims);
    f("dim", self.dim);
  }

  std::string check(const InstrContext& c) const {
    if (c.in.empty() || c.out.size() != 1 ||
        (!operand_dims.empty() && operand_dims.size() != c.in.size()))
      return "wrong number of operands or results";
    if (std::string error = not_split(c.out[0], {dim}); !error.empty()) return error;
    if (std::string error = same_dtype(c); !error.empty()) return error;
    const DimList others = without(c.out[0].tensor.dims, {dim});
    std::int64_t size = 0;
    for (std::size_t i = 0; i < c.in.size(); ++i) {
      const DimList own = operand_dims.empty() ? DimList{} : DimList{operand_dims[i]};
      if (std::string error = not_split(c.in[i], own); !error.empty()) return error;
      if (std::string error = aligned(c.in[i], c.out[0]); !error.empty()) return error;
      if (!same_set(without(c.in[i].tensor.dims, own), others)) return "wrong resulting dimensions";
      size += elements(c.dims, own);
    }
    return size == c.dims.size(dim) ? "" : "the sizes do not add up";
  }
  PartialResult partial(const ShardTypes& in, bool) const { return never_partial(in); }

  friend bool operator==(const Concat&, const Concat&) = default;
};

}  // namespace mtfc
