// You et al., arXiv 1904.00962, algorithm 2, with phi(z) = z.
#include "optim/adam_moments.h"

namespace mtfc::optim {

namespace {

void lamb_update(Update& u) {
  const Moments s = adam_moments(u, u.g);
  Term step = u.of(s.mean_scale) * s.m / (s.root + u.number("eps"));
  if (u.decay != 0) step = step + u.p * u.decay;
  Term lr = u.lr();
  if (u.trust) {
    const Term size = norm(u.p), length = norm(step);
    lr = lr * where(both(positive(size), positive(length)), size / length, size.like(1));
  }
  u.after = u.p - lr * step;
}

}  // namespace

Optimizer lamb() { return {{"lamb", adam_arguments(1e-6, 0.01)}, lamb_update, true}; }

}  // namespace mtfc::optim
