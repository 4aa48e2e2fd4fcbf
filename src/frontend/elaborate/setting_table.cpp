#include "frontend/elaborate/setting_table.h"

#include <algorithm>

namespace mtfc::elab {

namespace {

const std::vector<SettingForm>& forms() {
  using T = SettingForm::Type;
  const SettingForm::Formal lr{"lr", T::rate, true, 0.0};
  const SettingForm::Formal peak{"peak", T::number, true, 0.0};
  const SettingForm::Formal warmup{"warmup", T::whole, false, std::int64_t{0}};
  const SettingForm::Formal floor{"floor", T::number, false, 0.0};
  const SettingForm::Formal beta1{"beta1", T::number, false, 0.9};
  const SettingForm::Formal beta2{"beta2", T::number, false, 0.999};
  const SettingForm::Formal eps{"eps", T::number, false, 1e-8};
  static const std::vector<SettingForm> table = {
      {"sgd",
       false,
       {lr,
        {"momentum", T::number, false, 0.0},
        {"nesterov", T::flag, false, false},
        {"decay", T::number, false, 0.0}}},
      {"momentum", false, {lr, {"beta", T::number, false, 0.9}}},
      {"adam", false, {lr, beta1, beta2, eps}},
      {"adamw", false, {lr, beta1, beta2, eps, {"decay", T::number, false, 0.01}}},
      {"constant", true, {{"value", T::number, true, 0.0}}},
      {"linear", true, {peak, warmup, floor}},
      {"cosine", true, {peak, warmup, floor}},
      {"warmup", true, {peak, {"warmup", T::whole, true, std::int64_t{0}}}},
  };
  return table;
}

}  // namespace

const SettingForm* find_setting_form(std::string_view name, bool schedule) {
  for (const SettingForm& form : forms())
    if (form.name == name && form.schedule == schedule) return &form;
  return nullptr;
}

std::vector<std::string> setting_names(bool schedule) {
  std::vector<std::string> names;
  for (const SettingForm& form : forms())
    if (form.schedule == schedule) names.emplace_back(form.name);
  return names;
}

bool is_planned_setting(std::string_view name) {
  constexpr std::string_view planned[] = {"adafactor", "lamb", "lars",  "adagrad",     "rmsprop",
                                          "poly",      "noam", "rsqrt", "exponential", "piecewise"};
  return std::find(std::begin(planned), std::end(planned), name) != std::end(planned);
}

const std::vector<std::string>& train_keys() {
  static const std::vector<std::string> keys = {
      "optimizer",    "steps",     "epochs",     "eval_every",       "clip", "seed",
      "microbatches", "precision", "loss_scale", "checkpoint_every", "keep", "update"};
  return keys;
}

const std::vector<std::string>& param_keys() {
  static const std::vector<std::string> keys = {"lr_scale", "decay", "frozen", "trust", "init"};
  return keys;
}

}  // namespace mtfc::elab
