// Gradient descent with momentum, with the formulas of torch.optim.SGD (dampening 0).
#include "optim/optimizers.h"

namespace mtfc::optim {

namespace {

void descend(Update& u, double mu) {
  Term g = u.decayed_gradient();
  if (mu != 0) {
    const Term m = u.keep("m", u.state("m") * mu + g);
    g = u.flag("nesterov") ? g + m * mu : m;
  }
  u.after = u.p - u.lr() * g;
}

std::string needs_momentum(const SettingCall& call, const char* momentum) {
  const bool none = flag(call, "nesterov") && number(call, momentum) == 0;
  return none ? "`nesterov` needs a momentum: `" + std::string(momentum) + " = 0.9`" : "";
}

}  // namespace

Optimizer sgd() {
  return {{"sgd",
           {lr_argument(), number_argument("momentum", 0), flag_argument("nesterov", false),
            number_argument("decay", 0)},
           0,
           [](const SettingCall& c) { return needs_momentum(c, "momentum"); }},
          [](Update& u) { descend(u, u.number("momentum")); }};
}

Optimizer momentum() {
  return {{"momentum",
           {lr_argument(), number_argument("beta", 0.9), flag_argument("nesterov", false),
            number_argument("decay", 0)},
           0,
           [](const SettingCall& c) { return needs_momentum(c, "beta"); }},
          [](Update& u) { descend(u, u.number("beta")); }};
}

}  // namespace mtfc::optim
