#include "ir/instr/rules.h"

#include <algorithm>

namespace mtfc {

std::string counts(const InstrContext& c, std::size_t operands, std::size_t results) {
  return c.in.size() == operands && c.out.size() == results ? ""
                                                            : "wrong number of operands or results";
}

std::string same_dtype(const InstrContext& c) {
  for (const ShardTypes* list : {&c.in, &c.out})
    for (const ShardType& type : *list)
      if (type.tensor.dtype != (c.in.empty() ? c.out : c.in)[0].tensor.dtype)
        return "the element type changes";
  return "";
}

bool are_distinct(const DimList& dims) {
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (position(dims, dims[i]) != static_cast<int>(i)) return false;
  return true;
}

ShardTypes first_two(const ShardTypes& operands) {
  ShardTypes found;
  for (std::size_t i = 0; i < 2; ++i) found.push_back(operands[i]);
  return found;
}

bool same_split(const ShardType& a, const ShardType& b, DimId dim) {
  return split_of(a, dim) == split_of(b, dim);
}

std::string aligned(const ShardType& a, const ShardType& b) {
  for (DimId dim : a.tensor.dims)
    if (contains(b.tensor.dims, dim) && !same_split(a, b, dim))
      return "operands are split differently";
  return "";
}

std::string not_split(const ShardType& type, const DimList& dims) {
  for (DimId dim : dims) {
    if (!contains(type.tensor.dims, dim)) return "a dimension is missing";
    if (!split_of(type, dim).empty()) return "a dimension that must not be split is split";
  }
  return "";
}

std::string bucket(const InstrContext& c, std::size_t operands) {
  if (c.in.empty()) return "wrong number of operands or results";
  if (std::string error = counts(c, operands, operands); !error.empty()) return error;
  for (const ShardType& type : c.in) {
    if (type.tensor.dtype != c.in[0].tensor.dtype) return "a bucket of several element types";
    const Sharding& a = type.sharding;
    const Sharding& b = c.in[0].sharding;
    if (a.partial != b.partial || (a.is_partial() && a.combine != b.combine))
      return "a bucket of values that are partial differently";
  }
  return "";
}

std::string of_variable(const InstrContext& c, const std::string& path, const ShardTypes& types) {
  const ShardType* type = c.variables ? (*c.variables)(path) : nullptr;
  if (!type || types.size() != 1) return "no such variable";
  return types[0] == *type ? "" : "the variable has another type";
}

bool give_axes(const DimList& dims, Sharding& sharding, DimId dim,
               const std::vector<AxisId>& axes) {
  if (!contains(dims, dim)) return false;
  auto& all = sharding.split[static_cast<std::size_t>(position(dims, dim))];
  if (all.size() < axes.size() || !std::equal(axes.rbegin(), axes.rend(), all.rbegin()))
    return false;
  all.resize(all.size() - axes.size());
  return true;
}

void take_axes(const DimList& dims, Sharding& sharding, DimId dim,
               const std::vector<AxisId>& axes) {
  if (!contains(dims, dim)) return;
  auto& all = sharding.split[static_cast<std::size_t>(position(dims, dim))];
  all.insert(all.end(), axes.begin(), axes.end());
}

std::string moved(const InstrContext& c, std::size_t i, const Sharding& after) {
  if (c.in[i].tensor != c.out[i].tensor) return "a move changes the tensor";
  const bool fits = after.split != c.in[i].sharding.split;
  return fits && after.split == c.out[i].sharding.split ? ""
                                                        : "the split does not follow from the move";
}

PartialAxes partial_of_type(const ShardType& type) {
  return {type.sharding.partial, type.sharding.combine};
}

void add_axes(std::vector<AxisId>& axes, const std::vector<AxisId>& more) {
  for (AxisId axis : more)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
  std::sort(axes.begin(), axes.end());
}

bool varies_along(const ShardType& type, const std::vector<AxisId>& axes) {
  const auto among = [&](AxisId axis) { return contains(axes, axis); };
  const Sharding& sharding = type.sharding;
  return std::any_of(sharding.partial.begin(), sharding.partial.end(), among) ||
         std::any_of(sharding.split.begin(), sharding.split.end(), [&](const auto& split) {
           return std::any_of(split.begin(), split.end(), among);
         });
}

PartialResult partial_as_first(const ShardTypes& operands) {
  return operands.empty() ? PartialAxes{} : partial_of_type(operands[0]);
}

PartialResult never_partial(const ShardTypes& operands) {
  for (const ShardType& type : operands)
    if (type.sharding.is_partial()) return std::nullopt;
  return PartialAxes{};
}

PartialResult added_to(const ShardType& sum, const PartialResult& added) {
  const PartialAxes before = partial_of_type(sum);
  if (!added || added->axes != before.axes) return std::nullopt;
  return !before.axes.empty() && before.combine != added->combine ? std::nullopt : added;
}

PartialResult multilinear(const ShardTypes& operands, std::size_t operand, const DimList& reduced,
                          Combine combine) {
  PartialAxes result = partial_of_type(operands[operand]);
  if (!result.axes.empty() && result.combine != combine) return std::nullopt;
  result.combine = combine;
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (i != operand &&
        (operands[i].sharding.is_partial() || varies_along(operands[i], result.axes)))
      return std::nullopt;
  for (DimId dim : reduced)
    for (const ShardType& type : operands) add_axes(result.axes, split_of(type, dim));
  return result;
}

}  // namespace mtfc
