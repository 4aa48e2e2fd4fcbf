// Adam (Kingma and Ba, arXiv 1412.6980, algorithm 1) and AdamW (Loshchilov and Hutter, arXiv
// 1711.05101, algorithm 2), with the formulas of torch.optim.
#include "optim/adam_moments.h"

namespace mtfc::optim {

Moments adam_moments(Update& u, Term g) {
  const double beta1 = u.number("beta1"), beta2 = u.number("beta2");
  const Term m = u.average("m", beta1, g), v = u.average("v", beta2, square(g));
  if (!u.flag("bias_correction")) return {m, sqrt(v), u.rate.like(1)};
  // The corrections in f64: 1 - 0.999^1 cancels.
  const Term step_number = u.step_number();
  const Term c1 = 1 - pow(beta1, step_number), c2 = 1 - pow(beta2, step_number);
  const Term scale = u.of(1 / sqrt(c2));
  return {m, sqrt(v) * scale, 1 / c1};
}

std::vector<Formal> adam_arguments(double eps, double decay) {
  return {lr_argument(),
          number_argument("beta1", 0.9, below_one),
          number_argument("beta2", 0.999, below_one),
          number_argument("eps", eps),
          number_argument("decay", decay),
          flag_argument("bias_correction", true)};
}

namespace {

void descend(Update& u, Term p, Term g) {
  const Moments s = adam_moments(u, g);
  const Term step = s.m / (s.root + u.number("eps"));
  u.after = p - u.of(u.rate * s.mean_scale) * step;
}

}  // namespace

Optimizer adam() {
  return {{"adam", adam_arguments(1e-8, 0)},
          [](Update& u) { descend(u, u.p, u.decayed_gradient()); }};
}

Optimizer adamw() {
  return {{"adamw", adam_arguments(1e-8, 0.01)},
          [](Update& u) { descend(u, u.decayed_parameter(), u.g); }};
}

}  // namespace mtfc::optim
