// Partial values: the one rule of which instruction may take them. Lowering decides by it where
// sums stay pending; the verifier asks it again after every pass.
#pragma once
#include <optional>
#include <vector>

#include "ir/program.h"

namespace mtfc::lowering {

struct PartialAxes {
  std::vector<AxisId> axes;  // ascending; empty: complete
  Combine combine = Combine::sum;
};

/// The partial axes of the results of a local instruction (rearranging and moving ones included),
/// or nothing if some operand must be completed first.
///
/// A partial sum passes what is jointly linear in a group of operands (add, the branches of a
/// select) if the whole group is partial over the same axes, and what is multilinear (product,
/// contract, gather in its first operand) if no other operand varies along those axes, and casts to
/// a wider float type (`rounded`: to any float type). A partial maximum passes maxima only,
/// likewise minima. Reduced dimensions that are split add their axes. All results of a map agree.
std::optional<PartialAxes> partial_of(const InstructionKind& kind,
                                      const std::vector<ShardType>& operands, bool rounded = false);

}  // namespace mtfc::lowering
