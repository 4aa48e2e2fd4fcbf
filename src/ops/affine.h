// Which values of a Graph are affine in the indices of dimensions, and how large they get. An int
// index of that form is a window; masks of that form say what an element depends on.
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "ir/graph.h"
#include "support/scalar.h"

namespace mtfc::ops {

/// constant + sum of factor * index(dimension).
struct AffineForm {
  double constant = 0;
  std::map<DimId, double> factors;
  bool exact = true;  // computed in ints; else floats may have rounded

  double factor(DimId dim) const;
  AffineForm plus(const AffineForm& other, double times) const;
};

/// The smallest and the largest value.
struct Range {
  double low = 0, high = 0;
};
Range range_of(const AffineForm& form, const DimTable& dims);
/// The same where index(later) > index(earlier); the two dimensions are equally long.
Range range_ahead(const AffineForm& form, const DimTable& dims, DimId earlier, DimId later);

/// Knows every value of a graph that grows; each is looked at once, when first asked about.
class AffineValues {
 public:
  AffineValues(const Graph& graph, const DimTable& dims) : graph_(graph), dims_(dims) {}

  /// The form of a number, or null. An int whose form does not fit 32 bits everywhere has none:
  /// there it wraps.
  const AffineForm* find(ValueId value);
  /// The form of an i32 value that is exact, its terms the value's dimensions in their order.
  std::optional<Affine> find_index(ValueId value);

 private:
  std::optional<AffineForm> form(const Operation& op) const;
  std::optional<AffineForm> of_scalar(const Operation& op, ScalarOp scalar) const;
  std::optional<AffineForm> of_view(AffineForm form, const std::vector<DimGroup>& groups) const;
  const AffineForm* operand(const Operation& op, std::size_t i) const;
  bool fits(const AffineForm& form) const;

  const Graph& graph_;
  const DimTable& dims_;
  std::deque<std::optional<AffineForm>> forms_;  // by value; what `find` gave stays
};

}  // namespace mtfc::ops
