// A barrier to gradients.
#include "ops/rules.h"

namespace mtfc::ops {

std::vector<OpDef> stop_gradient_rows() {
  return {{.name = "stop_gradient",
           .summary = "the operand; no gradient passes",
           .kind = Kind::copy,
           .infer = [](const Shapes& s) { return gives(s.operands[0]); },
           .not_differentiable = "it stops gradients",
           .expand = [](Builder&, const Operation& op) { return std::vector{op.operands[0]}; }}};
}

}  // namespace mtfc::ops
