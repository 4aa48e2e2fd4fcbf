#include "optim/loss_scale.h"

namespace mtfc::optim {

const Form& dynamic_scale() {
  static const Form form{"dynamic",
                         {{"init", Formal::Type::number, 65536.0, scale_range},
                          {"growth", Formal::Type::whole, std::int64_t{2000}, {1, 1e9}}}};
  return form;
}

LossScale scale_of(const SettingCall& dynamic) {
  return {number(dynamic, "init"), static_cast<std::int64_t>(number(dynamic, "growth"))};
}

// As torch.cuda.amp.GradScaler, with its factors 2 and 1/2, but within bounds.
Scale next(Scale now, Term fine, std::int64_t growth) {
  const Term one_more = now.good + 1, none = now.good.like(0);
  const Term ripe = less(now.good.like(static_cast<double>(growth) - 1), one_more);
  const Term larger = where(ripe, min(now.value * 2, largest_scale), now.value);
  const Term smaller = max(now.value * 0.5, 1);
  return {where(fine, larger, smaller), where(fine, where(ripe, none, one_more), none)};
}

}  // namespace mtfc::optim
