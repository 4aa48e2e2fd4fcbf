// Cross entropy: a composite with a gradient of its own.
#include "ops/rules.h"

namespace mtfc::ops {

namespace {

Inferred infer_cross_entropy(const Shapes& s) {
  const TensorType &x = s.operands[0], &t = s.operands[1];
  const DimList& over = s.attrs.dims("over");
  if (!is_float(x.dtype)) return fails("the operand must be a float");
  if (!is_subset(over, x.dims)) return fails("dimension missing");
  const bool classes = t.dtype == DType::i32 && !contains(t.dims, over[0]);
  const bool distribution = t.dtype == x.dtype && contains(t.dims, over[0]);
  if (!classes && !distribution)
    return fails("targets are int without, or float with, the dimension");
  return gives({wide(x.dtype), without(union_of(x.dims, t.dims), over)});
}

/// All in the type of the result.
struct CrossEntropy {
  Builder& b;
  ValueId x, t;
  DimList over;
  double smoothing, z_loss;
  LogNormaliser normaliser;

  CrossEntropy(Builder& build, const Operation& op)
      : b(build),
        x(op.operands[0]),
        t(op.operands[1]),
        over(op.attrs.dims("over")),
        smoothing(op.attrs.number("smoothing", 0)),
        z_loss(op.attrs.number("z_loss", 0)),
        normaliser(log_normaliser(build, x, over)) {}

  ValueId num(double v) const { return b.constant(v, wide(b.type(x).dtype)); }
  bool classes() const { return b.type(t).dtype == DType::i32; }
  double size() const { return static_cast<double>(b.dims().size(over[0])); }

  /// The distribution that is asked for: (1 - smoothing) t + smoothing / size.
  ValueId target() const {
    if (!classes() && smoothing == 0) return wide(b, t);
    const double share = smoothing / size();
    if (classes()) {
      const ValueId hit = b.binary("eq", t, b.index(over[0])), low = num(share);
      return b.where(hit, num(1 - smoothing + share), low);
    }
    const ValueId low = num(share), scale = num(1 - smoothing);
    return b.binary("add", b.binary("mul", wide(b, t), scale), low);
  }

  ValueId to_max() const { return ops::to_max(b, x, normaliser); }

  /// sum over v of target * (max x - x), without making the target where it is one class.
  ValueId expected() const {
    if (!classes()) return b.reduce(Combine::sum, b.binary("mul", target(), to_max()), over);
    const ValueId picked = ops::to_max(b, b.gather(x, over, {t}, 0), normaliser);
    if (smoothing == 0) return picked;
    const ValueId share = num(smoothing / size());
    const ValueId mean = b.binary("mul", b.reduce(Combine::sum, to_max(), over), share);
    return b.binary("add", b.binary("mul", picked, num(1 - smoothing)), mean);
  }

  /// What multiplies the log-normaliser: 1, or the sum of a float target.
  ValueId mass() const { return classes() ? num(1) : b.reduce(Combine::sum, target(), over); }
};

/// mass * lse(x) - sum target x + z_loss lse(x)^2 (z-loss: Mesh TensorFlow's layers.py). The
/// largest x is taken from lse and x before: nothing large is added to what is small.
std::vector<ValueId> expand_cross_entropy(Builder& b, const Operation& op) {
  const CrossEntropy ce(b, op);
  const ValueId rest = ce.normaliser.rest;
  const ValueId scaled = ce.classes() ? rest : b.binary("mul", rest, ce.mass());
  ValueId loss = b.binary("add", scaled, ce.expected());
  if (ce.z_loss != 0) {
    const ValueId lse = whole(b, ce.normaliser);
    const ValueId square = b.binary("mul", lse, lse);
    loss = b.binary("add", loss, b.binary("mul", ce.num(ce.z_loss), square));
  }
  return {b.broadcast(loss, b.type(op.results[0]).dims)};
}

/// d/dx = g ((mass + 2 z lse) softmax - target); d/dt for float targets = g (1-s) (lse - x).
Gradients cross_entropy_gradient(const GradientContext& c) {
  Builder& b = c.build;
  const CrossEntropy ce(b, c.op);
  const ValueId to_max = ce.to_max();
  ValueId p = softmax_of(b, to_max, ce.normaliser);
  if (ce.z_loss != 0) {
    const ValueId extra = b.binary("mul", ce.num(2 * ce.z_loss), whole(b, ce.normaliser));
    p = b.binary("mul", p, b.binary("add", ce.mass(), extra));
  } else if (!ce.classes()) {
    p = b.binary("mul", p, ce.mass());
  }
  const ValueId dx = b.binary("mul", c.grad(), b.binary("sub", p, ce.target()));
  const DType dtype = b.type(ce.x).dtype;
  Gradients grads{b.cast(sum_to(b, dx, ce.x), dtype), ValueId{}};
  if (!ce.classes()) {
    const ValueId surprise = b.binary("add", to_max, ce.normaliser.rest);
    const ValueId slope = b.binary("mul", surprise, ce.num(1 - ce.smoothing));
    grads[1] = b.cast(sum_to(b, b.binary("mul", c.grad(), slope), ce.t), dtype);
  }
  return grads;
}

}  // namespace

std::vector<OpDef> cross_entropy_rows() {
  return {{.name = "cross_entropy",
           .summary = "minus the log-probability of the target",
           .signature = {2,
                         2,
                         {{"over", Type::dim},
                          {"smoothing", Type::number, true},
                          {"z_loss", Type::number, true}}},
           .infer = infer_cross_entropy,
           .gradient = cross_entropy_gradient,
           .expand = expand_cross_entropy,
           .indices = [](const Operation& op) {
             return std::vector<IndexOperand>{{1, dim_of(op, "over")}};
           }}};
}

}  // namespace mtfc::ops
