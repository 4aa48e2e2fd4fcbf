// Indexing by tensors, and its adjoint.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// As many as the kernels take.
constexpr std::size_t most_indices = 8;

/// `table` is looked up in, along `dims`, for every element of `all`. Behind the first operand
/// there is one index for each indexed dimension.
inline std::string check_lookup(const InstrContext& c, const DimList& dims, const ShardType& table,
                                const ShardType& all) {
  if (dims.size() > most_indices) return "too many indices";
  if (table.tensor.dtype != all.tensor.dtype) return "the element type changes";
  if (!are_distinct(dims) || !is_subset(dims, table.tensor.dims))
    return "an indexed dimension is missing";
  const DimList beside = without(table.tensor.dims, dims);
  DimList expected = beside;
  for (std::size_t i = 1; i < c.in.size(); ++i) {
    if (c.in[i].tensor.dtype != DType::i32) return "an index is not int";
    expected = union_of(expected, c.in[i].tensor.dims);
    if (std::string error = aligned(c.in[i], all); !error.empty()) return error;
  }
  if (!same_set(expected, all.tensor.dims)) return "wrong resulting dimensions";
  for (DimId dim : beside)
    if (!same_split(table, all, dim)) return "a dimension beside the indices is split differently";
  return "";
}
inline std::string count_indices(const InstrContext& c, const DimList& dims) {
  return c.in.size() == dims.size() + 1 && c.out.size() == 1 ? "" : "one index for each dimension";
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

  std::string check(const InstrContext& c) const {
    if (std::string error = count_indices(c, dims); !error.empty()) return error;
    return check_lookup(c, dims, c.in[0], c.out[0]);
  }
  PartialResult partial(const ShardTypes& in, bool) const {
    const Sharding& x = in[0].sharding;
    PartialAxes made;
    // Truths do not add up; one holds where any processor has it.
    if (in[0].tensor.dtype == DType::boolean) made.combine = Combine::max;
    // A fill value that is not 0 must not be added once per processor.
    if (x.is_partial() && (fill != 0 || x.combine != made.combine)) return std::nullopt;
    for (std::size_t i = 1; i < in.size(); ++i)
      if (in[i].sharding.is_partial() || varies_along(in[i], x.partial)) return std::nullopt;
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

  std::string check(const InstrContext& c) const {
    if (std::string error = count_indices(c, dims); !error.empty()) return error;
    const ShardType &y = c.in[0], &x = c.out[0];
    if (y.tensor.dtype == DType::boolean) return "a sum of bool";
    DimList expected;
    for (DimId dim : y.tensor.dims)
      if (!contains(x.tensor.dims, dim) || contains(dims, dim)) expected.push_back(dim);
    if (!are_distinct(reduced) || !same_set(reduced, expected))
      return "other dimensions are reduced";
    return check_lookup(c, dims, x, y);
  }
  PartialResult partial(const ShardTypes& in, bool) const {
    return multilinear(in, 0, reduced, Combine::sum);
  }

  friend bool operator==(const ScatterAdd&, const ScatterAdd&) = default;
};
/// Operands y, index, sum: the sum with y added as ScatterAdd adds it, at the index along `dim`,
/// one after the other.
struct AddAt {
  static constexpr std::string_view kName = "add_at";
  static constexpr std::size_t kOverwrites = 2;
  DimId dim;
  DimList reduced;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dim", self.dim);
    f("reduced", self.reduced);
  }

  std::string check(const InstrContext& c) const {
    if (std::string error = counts(c, 3, 1); !error.empty()) return error;
    if (c.in[2] != c.out[0]) return "the sum has another type than the result";
    return ScatterAdd{{dim}, reduced}.check({c.dims, c.mesh, first_two(c.in), c.out});
  }
  /// The sum is partial as what is added to it.
  PartialResult partial(const ShardTypes& in, bool rounded) const {
    if (in.size() != 3) return std::nullopt;
    return added_to(in[2], ScatterAdd{{dim}, reduced}.partial(first_two(in), rounded));
  }

  friend bool operator==(const AddAt&, const AddAt&) = default;
};

}  // namespace mtfc
