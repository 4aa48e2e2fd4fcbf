// The two moments of Adam (Kingma and Ba, arXiv 1412.6980, algorithm 1), which others build on.
#pragma once
#include "optim/optimizers.h"

namespace mtfc::optim {

/// The mean m*, whose correction is a factor, and the corrected root of v*.
struct Moments {
  Term m, root;
  Term mean_scale;  // f64 scalar: 1 / (1 - beta1^(t+1)), or 1 without bias correction
};

/// Appends the states m and v of the gradient `g`.
Moments adam_moments(Update& u, Term g);

/// lr, beta1, beta2, eps, decay, bias_correction
std::vector<Formal> adam_arguments(double eps, double decay);

}  // namespace mtfc::optim
