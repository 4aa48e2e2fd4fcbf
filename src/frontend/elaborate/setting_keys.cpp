#include "frontend/elaborate/setting_keys.h"

namespace mtfc::elab {

const std::vector<std::string>& train_keys() {
  static const std::vector<std::string> keys = {
      "optimizer", "steps",        "epochs",    "eval_every", "clip",
      "seed",      "microbatches", "precision", "loss_scale", "checkpoint_every",
      "keep",      "checkpoint",   "update",    "on_nan"};
  return keys;
}

const std::vector<std::string>& param_keys() {
  static const std::vector<std::string> keys = {"lr_scale", "decay", "frozen", "trust", "init"};
  return keys;
}

}  // namespace mtfc::elab
