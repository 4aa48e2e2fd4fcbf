// The formulas, with their sources, are those of docs/optimizers.md.
#include "optim/schedules.h"

#include <numbers>

#include "support/check.h"

namespace mtfc::optim {

namespace {

using Call = SettingCall;

// ---------------------------------------------------------------- arguments that several have
Formal number_formal(const char* name, double otherwise, Range range = from_zero) {
  return {name, Formal::Type::number, otherwise, range};
}
Formal required(const char* name, Range range = from_zero) {
  return {name, Formal::Type::number, std::nullopt, range};
}
Formal whole(const char* name, std::int64_t otherwise, Range range = from_zero) {
  return {name, Formal::Type::whole, otherwise, range};
}
Formal peak() { return required("peak"); }
Formal warmup() { return whole("warmup", 0); }
Formal lowest() { return number_formal("floor", 0); }

// ---------------------------------------------------------------- parts that several have
/// min(1, (t + 1) / n), which is 1 for n = 0.
Term rise(const Clock& c, double n) { return n > 0 ? min((c.t + 1) * (1 / n), 1) : c.t.like(1); }

/// The part of the way from the end of the warm-up to the last step: 0 .. 1.
Term progress(const Clock& c, const Call& call) {
  const double n = number(call, "warmup");
  const Term length = max(c.steps - n, 1);
  return min(max((c.t - n) / length, 0), 1);
}

/// peak * (t + 1) / warmup while the warm-up lasts, `then` after it.
Term after_warmup(const Clock& c, const Call& call, Term then) {
  const double n = number(call, "warmup");
  if (n == 0) return then;
  const Term rising = (c.t + 1) * (number(call, "peak") / n);
  return where(less(c.t, c.t.like(n)), rising, then);
}

/// min(1, (T - t) / (decay * T)): the fall in the last part of the run.
Term fall(const Clock& c, double decay) {
  if (decay == 0) return c.t.like(1);
  const Term length = c.steps * decay;
  return min((c.steps - c.t) / length, 1);
}

// ---------------------------------------------------------------- the schedules
Term constant(const Clock& c, const Call& call) { return c.t.like(number(call, "value")); }

Term linear(const Clock& c, const Call& call) {
  const double top = number(call, "peak"), decay = number(call, "decay");
  const Term q = progress(c, call);
  const Term fallen = decay == 1 ? q : max((q - 1) / decay + 1, 0);
  return after_warmup(c, call, fallen * (number(call, "floor") - top) + top);
}

Term cosine(const Clock& c, const Call& call) {
  const double top = number(call, "peak"), low = number(call, "floor");
  const Term wave = cos(progress(c, call) * std::numbers::pi) + 1;
  return after_warmup(c, call, (top - low) / 2 * wave + low);
}

Term poly(const Clock& c, const Call& call) {
  const double top = number(call, "peak"), low = number(call, "floor");
  const Term left = pow(1 - progress(c, call), number(call, "power"));
  return after_warmup(c, call, left * (top - low) + low);
}

Term exponential(const Clock& c, const Call& call) {
  Term n = max(c.t - number(call, "warmup"), 0) / number(call, "every");
  if (flag(call, "staircase")) n = floor(n);
  const Term value = number(call, "peak") * pow(number(call, "rate"), n);
  return after_warmup(c, call, max(value, number(call, "floor")));
}

Term slanted_triangular(const Clock& c, const Call& call) {
  const double cut = number(call, "cut"), ratio = number(call, "ratio");
  const Term top = max(floor(c.steps * cut), 1);
  const Term length = top * (1 / cut - 1);
  const Term down = max(1 - (c.t - top) / length, 0), up = c.t / top;
  const Term height = where(less(c.t, top), up, down);
  return (height * (ratio - 1) + 1) * (number(call, "peak") / ratio);
}

Term rsqrt_decay(const Clock& c, const Call& call) {
  const Term plateau = rsqrt(max(c.t + 1, number(call, "warmup")));
  const Term end = fall(c, number(call, "decay"));
  return plateau * number(call, "multiplier") * end;
}

Term noam(const Clock& c, const Call& call) {
  const Term begin = rise(c, number(call, "warmup"));
  return rsqrt_decay(c, call) * begin;
}

/// The arguments come as value, at, value2, at2, value3 ...
Term piecewise(const Clock& c, const Call& call) {
  Term value = c.t.like(number(call, call.args.back().first));
  for (std::size_t i = call.args.size() - 1; i >= 2; i -= 2) {
    const Term end = c.t.like(number(call, call.args[i - 1].first));
    const Term before = c.t.like(number(call, call.args[i - 2].first));
    value = where(less(c.t, end), before, value);
  }
  return value;
}

std::string steps_that_fall(const Call& call) {
  for (std::size_t i = 3; i < call.args.size(); i += 2) {
    const std::string& later = call.args[i].first;
    if (number(call, later) <= number(call, call.args[i - 2].first))
      return "`" + later + "` of `piecewise` must be above `" + call.args[i - 2].first + "`";
  }
  return "";
}

Term warmed_up(const Clock& c, const Call& call) {
  const Term begin = rise(c, number(call, "warmup"));
  return rate_at(c, *find_argument(call, "then")) * begin;
}

std::vector<Formal> root_arguments() {
  return {whole("warmup", 10000), number_formal("multiplier", 1), number_formal("decay", 0, part)};
}

}  // namespace

const std::vector<Schedule>& schedules() {
  constexpr Range within{0, 1, false, false};
  constexpr Range from_one{1};
  using T = Formal::Type;
  static const std::vector<Schedule> table = {
      {{"constant", {required("value")}}, constant},
      {{"linear", {peak(), warmup(), lowest(), number_formal("decay", 1, {0, 1, false, true})}},
       linear},
      {{"cosine", {peak(), warmup(), lowest()}}, cosine},
      {{"poly", {peak(), warmup(), lowest(), number_formal("power", 1)}}, poly},
      {{"exponential",
        {peak(),
         required("rate", above_zero),
         number_formal("every", 1, above_zero),
         warmup(),
         lowest(),
         {"staircase", T::flag, false}}},
       exponential},
      {{"slanted_triangular",
        {peak(), number_formal("cut", 0.1, within), number_formal("ratio", 32, from_one)}},
       slanted_triangular},
      {{"rsqrt", root_arguments()}, rsqrt_decay},
      {{"noam", root_arguments()}, noam},
      {{"piecewise",
        {required("value"), {"at", T::whole, std::nullopt, from_one}, required("value2")},
        2,
        steps_that_fall},
       piecewise},
      {{"warmup", {{"warmup", T::whole, std::nullopt}, {"then", T::rate, std::nullopt}}},
       warmed_up},
  };
  return table;
}

const Schedule* find_schedule(std::string_view name) {
  for (const Schedule& row : schedules())
    if (row.form.name == name) return &row;
  return nullptr;
}

Term rate_at(const Clock& clock, const SettingCall::Value& rate) {
  if (const auto* value = std::get_if<double>(&rate)) return clock.t.like(*value);
  const auto* call = std::get_if<std::vector<SettingCall>>(&rate);
  MTFC_CHECK(call && call->size() == 1, "a rate is a number or a schedule");
  const Schedule* schedule = find_schedule(call->front().function);
  MTFC_CHECK(schedule, "no schedule is named `" + call->front().function + "`");
  return schedule->value(clock, call->front());
}

bool follows_length(const SettingCall::Value& rate) {
  Graph graph("rate");
  const DimTable dims;
  ops::Builder build(graph, dims);
  std::vector<ValueId> open{learning_rate(build, rate, 0)};
  while (!open.empty()) {
    const Operation& op = graph.producer(open.back());
    open.pop_back();
    if (op.op == "steps") return true;
    open.insert(open.end(), op.operands.begin(), op.operands.end());
  }
  return false;
}

ValueId learning_rate(ops::Builder& build, const SettingCall::Value& rate, std::int64_t steps) {
  const Term t{&build, build.cast(build.step(), DType::f64)};
  const Term n = steps > 0 ? t.like(static_cast<double>(steps))
                           : Term{&build, build.cast(build.apply("steps", {}), DType::f64)};
  return rate_at({t, n}, rate).id;
}

}  // namespace mtfc::optim
