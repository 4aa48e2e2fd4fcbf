// Products summed over dimensions, alone or added to a sum.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// Binary product summed over `reduced`. If a reduced dimension is split, the result is partial.
struct Contract {
  static constexpr std::string_view kName = "contract";
  DimList reduced;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("reduced", self.reduced);
  }

  std::string check(const InstrContext& c) const {
    if (std::string error = counts(c, 2, 1); !error.empty()) return error;
    for (const ShardTypes* list : {&c.in, &c.out})
      for (const ShardType& type : *list)
        if (!is_float(type.tensor.dtype)) return "a product of what is not floats";
    if (!are_distinct(reduced)) return "a dimension is reduced twice";
    for (const ShardType& type : c.in)
      if (!is_subset(reduced, type.tensor.dims))
        return "a reduced dimension is not in both operands";
    const DimList all = union_of(c.in[0].tensor.dims, c.in[1].tensor.dims);
    if (!same_set(without(all, reduced), c.out[0].tensor.dims)) return "wrong resulting dimensions";
    for (const ShardType& type : c.in)
      if (std::string error = aligned(type, c.out[0]); !error.empty()) return error;
    return aligned(c.in[0], c.in[1]);
  }
  PartialResult partial(const ShardTypes& in, bool) const {
    return multilinear(in, in[1].sharding.is_partial() ? 1 : 0, reduced, Combine::sum);
  }
  /// A multiplication and an addition for each element of the result and of what is summed over.
  Flops flops(const InstrContext& c) const {
    ShardType all = c.out[0];
    for (DimId dim : reduced) {
      all.tensor.dims.push_back(dim);
      all.sharding.split.push_back(split_of(c.in[0], dim));
    }
    return {2, std::move(all)};
  }

  friend bool operator==(const Contract&, const Contract&) = default;
};

/// Operands a, b, sum, number (an i32 scalar): sum + the contraction of a and b over `reduced`;
/// where the number is 0, the contraction alone, whatever the sum holds. What micro-batches do with
/// the gradients of weights.
struct AddProduct {
  static constexpr std::string_view kName = "add_product";
  static constexpr std::size_t kOverwrites = 2;
  DimList reduced;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("reduced", self.reduced);
  }

  std::string check(const InstrContext& c) const {
    if (std::string error = counts(c, 4, 1); !error.empty()) return error;
    if (c.in[3].tensor != TensorType{DType::i32, {}}) return "the number is not one int";
    if (c.in[2] != c.out[0]) return "the sum has another type than the result";
    return Contract{reduced}.check({c.dims, c.mesh, first_two(c.in), c.out});
  }
  /// The sum is partial as what is added to it.
  PartialResult partial(const ShardTypes& in, bool rounded) const {
    if (in.size() != 4 || in[3].sharding.is_partial()) return std::nullopt;
    return added_to(in[2], Contract{reduced}.partial(first_two(in), rounded));
  }
  Flops flops(const InstrContext& c) const {
    return Contract{reduced}.flops({c.dims, c.mesh, first_two(c.in), c.out});
  }

  friend bool operator==(const AddProduct&, const AddProduct&) = default;
};

}  // namespace mtfc
