// You, Gitman and Ginsburg, arXiv 1708.03888, algorithm 1: the momentum is of the step, with the
// rates in it.
#include "optim/optimizers.h"

namespace mtfc::optim {

namespace {

void lars_update(Update& u) {
  Term lr = u.lr();
  if (u.trust) {
    const Term size = norm(u.p), slope = norm(u.g);
    const Term below = slope + size * u.decay;
    const Term ratio = u.number("coefficient") * size / below, one = size.like(1);
    lr = lr * where(both_positive(size, slope), ratio, one);
  }
  Term step = lr * u.decayed_gradient();
  if (const double mu = u.number("momentum"); mu != 0) step = u.keep("m", u.state("m") * mu + step);
  u.after = u.p - step;
}

}  // namespace

Optimizer lars() {
  return {{"lars",
           {lr_argument(), number_argument("momentum", 0.9), number_argument("decay", 0),
            number_argument("coefficient", 0.001, above_zero)}},
          lars_update,
          true};
}

}  // namespace mtfc::optim
