// You et al., arXiv 1904.00962, algorithm 2, with phi(z) = z.
#include "optim/adam_moments.h"

namespace mtfc::optim {

namespace {

void lamb_update(Update& u) {
  const Moments s = adam_moments(u, u.g);
  const Term below = s.root + u.number("eps");
  Term step = u.of(s.mean_scale) * s.m / below;
  if (u.decay != 0) step = step + u.p * u.decay;
  Term lr = u.lr();
  if (u.trust) {
    const Term size = norm(u.p), length = norm(step);
    const Term one = size.like(1), ratio = size / length;
    lr = lr * where(both_positive(size, length), ratio, one);
  }
  u.after = u.p - lr * step;
}

}  // namespace

Optimizer lamb() { return {{"lamb", adam_arguments(1e-6, 0.01)}, lamb_update, true}; }

}  // namespace mtfc::optim
