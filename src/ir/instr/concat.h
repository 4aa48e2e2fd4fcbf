// Tensors one after the other.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// The operands one after the other along `dim`. Operand i has parts[i] in its place; without
/// `parts` every operand is one element of `dim`. All of them are whole.
struct Concat {
  static constexpr std::string_view kName = "concat";
  DimList parts;
  DimId dim;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("parts", self.parts);
    f("dim", self.dim);
  }

  std::string check(const InstrContext& c) const {
    if (c.in.empty() || c.out.size() != 1 || (!parts.empty() && parts.size() != c.in.size()))
      return "wrong number of operands or results";
    if (std::string error = whole(c.out[0], {dim}); !error.empty()) return error;
    const DimList others = without(c.out[0].tensor.dims, {dim});
    std::int64_t size = 0;
    for (std::size_t i = 0; i < c.in.size(); ++i) {
      const DimList part = parts.empty() ? DimList{} : DimList{parts[i]};
      if (std::string error = whole(c.in[i], part); !error.empty()) return error;
      if (std::string error = aligned(c.in[i], c.out[0]); !error.empty()) return error;
      if (!same_set(without(c.in[i].tensor.dims, part), others))
        return "wrong resulting dimensions";
      size += elements(c.dims, part);
    }
    return size == c.dims.size(dim) ? "" : "the sizes do not add up";
  }
  PartialResult partial(const ShardTypes& in, bool) const { return never_partial(in); }

  friend bool operator==(const Concat&, const Concat&) = default;
};

}  // namespace mtfc
