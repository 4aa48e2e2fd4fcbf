// Which int values of a Graph are affine in positions: begin + sum of scale * index(dim). An index
// of that form is a window; masks of that form say which places may be looked at.
#pragma once
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace mtfc::ops {

/// Knows every value of a graph that grows; each is looked at once, when first asked about.
class AffineValues {
 public:
  AffineValues(const Graph& graph, const DimTable& dims) : graph_(graph), dims_(dims) {}

  /// The form of an i32 value, its terms the value's dimensions in their order, or null. A form
  /// whose values do not fit 32 bits everywhere is none: there the value wraps.
  const Affine* find(ValueId value);

 private:
  std::optional<Affine> form(const Operation& op, ValueId value) const;
  std::optional<Affine> of_view(const Operation& op) const;
  std::optional<Affine> of_slice(const Operation& op) const;
  const std::optional<Affine>& operand(const Operation& op, std::size_t i) const;
  bool fits(const Affine& form) const;

  const Graph& graph_;
  const DimTable& dims_;
  std::vector<std::optional<Affine>> forms_;  // by value
};

}  // namespace mtfc::ops
