#include "frontend/elaborate/setting_keys.h"

namespace mtfc::elab {

namespace {

/// The keys of a call's arguments, schedules within it included.
void argument_keys(const std::string& path, const SettingCall& call,
                   std::vector<std::string>& keys) {
  for (const auto& [name, value] : call.args) {
    keys.push_back(path + "." + name);
    if (const auto* inner = std::get_if<std::vector<SettingCall>>(&value))
      for (const SettingCall& c : *inner) argument_keys(path + "." + name, c, keys);
  }
}

}  // namespace

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

std::vector<std::string> setting_keys(const Model& model) {
  std::vector<std::string> keys;
  for (const std::string& key : train_keys()) keys.push_back("train." + key);
  for (const DataSource& source : model.sources) keys.push_back("data." + source.name);
  if (model.settings.present) argument_keys("train.optimizer", model.settings.optimizer, keys);
  return keys;
}

}  // namespace mtfc::elab
