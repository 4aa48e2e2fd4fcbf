// The table of optimisers: what each is called with, and its formula.
#pragma once
#include <string_view>
#include <vector>

#include "optim/update.h"

namespace mtfc::optim {

struct Optimizer {
  Form form;
  /// Writes u.after and the states.
  void (*update)(Update& u);
  bool layer_wise = false;  // has a ratio of norms that `trust = false` switches off
};

/// In the order of the documentation.
const std::vector<Optimizer>& optimizers();
/// Null if there is none so named.
const Optimizer* find_optimizer(std::string_view name);

// --- one file each
Optimizer sgd();
Optimizer momentum();
Optimizer adagrad();
Optimizer rmsprop();
Optimizer adam();
Optimizer adamw();
Optimizer lamb();
Optimizer lars();
Optimizer adafactor();

// --- arguments that several have
inline Formal lr_argument() { return {"lr", Formal::Type::rate, std::nullopt}; }
inline Formal number_argument(const char* name, double otherwise, Range range = from_zero) {
  return {name, Formal::Type::number, otherwise, range};
}
inline Formal flag_argument(const char* name, bool otherwise) {
  return {name, Formal::Type::flag, otherwise};
}

}  // namespace mtfc::optim
