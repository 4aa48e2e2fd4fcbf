#include "optim/optimizers.h"

namespace mtfc::optim {

const std::vector<Optimizer>& optimizers() {
  static const std::vector<Optimizer> table = {
      sgd(), momentum(), adagrad(), rmsprop(), adam(), adamw(), lamb(), lars(), adafactor(),
  };
  return table;
}

const Optimizer* find_optimizer(std::string_view name) {
  for (const Optimizer& row : optimizers())
    if (row.form.name == name) return &row;
  return nullptr;
}

}  // namespace mtfc::optim
