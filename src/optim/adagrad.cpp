// Duchi et al., JMLR 12 (2011), the diagonal form; torch.optim.Adagrad.
#include "optim/optimizers.h"

namespace mtfc::optim {

Optimizer adagrad() {
  return {{"adagrad",
           {lr_argument(), number_argument("eps", 1e-10), number_argument("initial", 0),
            number_argument("decay", 0)}},
          [](Update& u) {
            const Term g = u.decayed_gradient(), squared = square(g);
            const Term v = u.keep("v", u.state("v", u.number("initial")) + squared);
            const Term step = g / (sqrt(v) + u.number("eps"));
            u.after = u.p - u.lr() * step;
          }};
}

}  // namespace mtfc::optim
