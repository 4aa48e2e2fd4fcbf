// Shazeer and Stern, arXiv 1804.04235, algorithms 4 and 5. Which dimensions are factored, the
// product form of the factored moment and the momentum of the step are Mesh-TensorFlow's.
#include <algorithm>

#include "optim/optimizers.h"

namespace mtfc::optim {

namespace {

/// The largest dimension and the second largest, the first written of equal ones; none if the
/// parameter is not factored.
DimList factored_dims(const Update& u) {
  DimList dims = u.p.dims();
  if (!u.flag("factored") || dims.size() < 2) return {};
  std::stable_sort(dims.begin(), dims.end(),
                   [&](DimId a, DimId b) { return u.dims().size(a) > u.dims().size(b); });
  dims.resize(2);
  const bool large = static_cast<double>(u.dims().size(dims[1])) >= u.number("min_size");
  return large ? dims : DimList{};
}

/// The gradient divided by the root of the second moment.
Term scaled_gradient(Update& u) {
  const Term fresh = pow(u.step_number(), -u.number("exponent"));  // 1 - beta2
  const Term beta2 = u.of(1 - fresh), share = u.of(fresh);
  const Term squares = square(u.g) + u.number("eps1");
  const DimList two = factored_dims(u);
  if (two.empty()) {
    const Term fresh_part = squares * share;
    return u.g * rsqrt(u.keep("v", u.state("v") * beta2 + fresh_part));
  }
  const auto moment = [&](const char* name, DimId over) {
    const Term before = u.state(name, without(u.p.dims(), {over}));
    const Term fresh_part = mean(squares, {over}) * share;
    return u.keep(name, before * beta2 + fresh_part);
  };
  const Term vr = moment("vr", two[0]), vc = moment("vc", two[1]);
  const Term columns = rsqrt(vc);
  return u.g * rsqrt(vr / mean(vr, {two[1]})) * columns;
}

void adafactor_update(Update& u) {
  Term step = scaled_gradient(u);
  if (const double limit = u.number("clipping"); limit != 0)
    step = step / max(rms(step) / limit, 1);
  Term size = u.lr();
  if (u.flag("parameter_scale")) size = size * max(rms(u.p), u.number("eps2"));
  step = step * size;
  if (const double beta1 = u.number("beta1"); beta1 != 0) step = u.average("m", beta1, step);
  u.after = u.decayed_parameter() - step;
}

/// min(1 / sqrt(t + 1), 0.01), as in Mesh-TensorFlow.
SettingCall::Value default_rate(const SettingCall& others) {
  const double multiplier = flag(others, "parameter_scale") ? 1 : 0.05;
  return std::vector<SettingCall>{
      {"rsqrt", {{"warmup", std::int64_t{10000}}, {"multiplier", multiplier}}, {}}};
}

}  // namespace

Optimizer adafactor() {
  using T = Formal::Type;
  return {{"adafactor",
           {{"lr", T::rate, std::nullopt, from_zero, default_rate},
            number_argument("beta1", 0, below_one),
            number_argument("decay", 0),
            number_argument("clipping", 1),
            flag_argument("factored", true),
            flag_argument("parameter_scale", true),
            number_argument("exponent", 0.8, above_zero),
            number_argument("eps1", 1e-30),
            number_argument("eps2", 1e-3),
            {"min_size", T::whole, std::int64_t{128}}}},
          adafactor_update};
}

}  // namespace mtfc::optim
