// Tieleman and Hinton, 2012; centred as in Graves, arXiv 1308.0850, equations 38 to 45;
// torch.optim.RMSprop.
#include "optim/optimizers.h"

namespace mtfc::optim {

namespace {

void rmsprop_update(Update& u) {
  const double alpha = u.number("alpha"), mu = u.number("momentum");
  const Term g = u.decayed_gradient();
  const Term v = u.average("v", alpha, square(g));
  Term below = v;
  if (u.flag("centered")) {
    below = v - square(u.average("a", alpha, g));
  }
  Term step = g / (sqrt(below) + u.number("eps"));
  if (mu != 0) step = u.keep("m", u.state("m") * mu + step);
  u.after = u.p - u.lr() * step;
}

}  // namespace

Optimizer rmsprop() {
  return {{"rmsprop",
           {lr_argument(), number_argument("alpha", 0.99, below_one), number_argument("eps", 1e-8),
            number_argument("momentum", 0), flag_argument("centered", false),
            number_argument("decay", 0)}},
          rmsprop_update};
}

}  // namespace mtfc::optim
