// Learning-rate schedules. Scalars in f64, from the step number (0 at the first step).
#include <functional>

#include "lowering/optimizer.h"
#include "lowering/settings.h"
#include "support/check.h"

namespace mtfc::lowering {

namespace {

struct Scalars {
  ops::Builder& b;
  ValueId num(double v) { return b.constant(v, DType::f64); }
  ValueId add(ValueId x, ValueId y) { return b.binary("add", x, y); }
  ValueId sub(ValueId x, ValueId y) { return b.binary("sub", x, y); }
  ValueId mul(ValueId x, ValueId y) { return b.binary("mul", x, y); }
  ValueId min(ValueId x, ValueId y) { return b.binary("min", x, y); }
  ValueId max(ValueId x, ValueId y) { return b.binary("max", x, y); }
};

/// The part of the way from the end of the warm-up to the last step: 0 .. 1.
ValueId progress(Scalars s, ValueId step, double warmup, ValueId steps) {
  const ValueId length = s.max(s.sub(steps, s.num(warmup)), s.num(1));
  const ValueId done = s.b.binary("div", s.sub(step, s.num(warmup)), length);
  return s.min(s.max(done, s.num(0)), s.num(1));
}

/// peak * (step + 1) / warmup while the warm-up lasts, `then` after it.
ValueId warm_up(Scalars s, ValueId step, double peak, double warmup, ValueId then) {
  if (warmup <= 0) return then;
  const ValueId rising = s.mul(s.add(step, s.num(1)), s.num(peak / warmup));
  return s.b.where(s.b.binary("lt", step, s.num(warmup)), rising, then);
}

}  // namespace

ValueId learning_rate(ops::Builder& build, const SettingCall::Value& schedule, std::int64_t steps) {
  Scalars s{build};
  if (const auto number = number_of(schedule)) return s.num(*number);
  const auto* call = std::get_if<std::vector<SettingCall>>(&schedule);
  MTFC_CHECK(call && call->size() == 1, "a schedule is a number or a call");
  const SettingCall& c = (*call)[0];
  const ValueId step = build.cast(build.step(), DType::f64);
  // With `epochs` the number of steps is known once the data is open.
  const ValueId n = steps > 0 ? s.num(static_cast<double>(steps))
                              : build.cast(build.apply("steps", {}), DType::f64);
  if (c.function == "constant") return s.num(setting(c, "value", 0));
  const double peak = setting(c, "peak", 0), warmup = setting(c, "warmup", 0);
  const double floor = setting(c, "floor", 0);
  if (c.function == "warmup") return warm_up(s, step, peak, warmup, s.num(peak));
  const ValueId p = progress(s, step, warmup, n);
  if (c.function == "linear") {
    return warm_up(s, step, peak, warmup, s.add(s.num(peak), s.mul(p, s.num(floor - peak))));
  }
  MTFC_CHECK(c.function == "cosine", "unknown schedule `" + c.function + "`");
  const ValueId wave = s.add(s.num(1), build.unary("cos", s.mul(p, s.num(3.14159265358979324))));
  return warm_up(s, step, peak, warmup,
                 s.add(s.num(floor), s.mul(s.num((peak - floor) / 2), wave)));
}

}  // namespace mtfc::lowering
