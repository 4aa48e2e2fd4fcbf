// Orthogonal matrices, for initial values.

#include "ops/rules.h"

namespace mtfc::ops {

namespace {

/// p(A) X with A = X X^T over the larger side: every singular value s of X becomes s p(s^2).
struct Polynomial {
  double one, first, second;
};
/// Takes singular values from (0, 1] to about 1, the small ones faster by a factor of 3.44 each
/// time (K. Jordan et al., Muon, 2024); then Newton's iteration takes them all to 1, quadratically
/// (N. Higham, Functions of Matrices, 2008, section 8.3).
constexpr Polynomial coarse{3.4445, -4.7750, 2.0315}, fine{1.5, -0.5, 0};
constexpr int coarse_steps = 16, fine_steps = 6;  // from 3e-9 on, to the last bit of a double

Inferred infer_orthogonal(const Shapes& s) {
  const TensorType& x = s.operands[0];
  if (!is_float(x.dtype)) return fails("the operand must be a float");
  DimList taken;
  for (const DimGroup& g : s.attrs.groups("aliases")) {
    if (g.from.size() != 1 || g.to.size() != 1 || contains(x.dims, g.to[0]) ||
        s.dims.size(g.from[0]) != s.dims.size(g.to[0]))
      return fails("an alias does not fit");
    if (contains(taken, g.from[0]) || contains(s.attrs.dims("others"), g.from[0]))
      return fails("a dimension is of both sides");
    taken.push_back(g.from[0]);
  }
  if (!is_subset(taken, x.dims) || !is_subset(s.attrs.dims("others"), x.dims))
    return fails("dimension missing");
  return gives(x);
}

/// The polar factor of x, matrix by matrix: of all matrices with orthonormal rows (columns) the
/// nearest one. That of a matrix of normal samples is uniformly distributed.
std::vector<ValueId> expand_orthogonal(Builder& b, const Operation& op) {
  const std::vector<DimGroup>& aliases = op.attrs.groups("aliases");  // of the smaller side
  const DimList& others = op.attrs.dims("others");                    // the larger side
  const DType dtype = b.type(op.operands[0]).dtype;
  DimList all = others, fresh;
  for (const DimGroup& g : aliases) {
    all.push_back(g.from[0]);
    fresh.push_back(g.to[0]);
  }
  ValueId x = b.cast(op.operands[0], DType::f64);
  const auto num = [&](double v) { return b.constant(v, DType::f64); };
  const ValueId norm = b.reduce(Combine::sum, b.unary("square", x), all);
  x = b.binary("mul", x, b.unary("rsqrt", norm));
  for (int i = 0; i < coarse_steps + fine_steps; ++i) {
    const Polynomial& p = i < coarse_steps ? coarse : fine;
    const ValueId gram = b.einsum({x, b.view(x, aliases)}, others);
    const auto times = [&](ValueId y) { return b.einsum({gram, b.view(y, aliases)}, fresh); };
    const ValueId once = times(x);
    ValueId sum = b.binary("mul", x, num(p.one));
    sum = b.binary("add", sum, b.binary("mul", once, num(p.first)));
    if (p.second != 0) {
      const ValueId scale = num(p.second);
      sum = b.binary("add", sum, b.binary("mul", times(once), scale));
    }
    x = sum;
  }
  return {b.broadcast(b.cast(x, dtype), b.type(op.results[0]).dims)};
}

}  // namespace

std::vector<OpDef> orthogonal_rows() {
  return {{.name = "orthogonal",
           .summary = "the nearest matrix with orthonormal rows or columns",
           .signature = {1, 1, {{"aliases", Type::groups}, {"others", Type::dims}}},
           .infer = infer_orthogonal,
           .not_differentiable = "it makes initial values",
           .expand = expand_orthogonal}};
}

}  // namespace mtfc::ops
