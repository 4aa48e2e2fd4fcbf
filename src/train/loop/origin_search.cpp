#include "train/loop/origin_search.h"

#include <new>

#include "comm/gather_bytes.h"
#include "train/loop/initialise.h"
#include "train/loop/interrupt.h"

namespace mtfc::runtime {

std::optional<OriginSearch::Origin> OriginSearch::run(std::int64_t steps) {
  try {
    const std::optional<Origin> origin = find(steps);
    if (origin && hooks_.before_bad) show(origin->step);
    return origin;
  } catch (const std::bad_alloc&) {
    // What is said without it matters more; but ranks would wait for the one that has no memory.
    if (engine_.network().ranks() > 1) throw;
    return std::nullopt;
  }
}

std::optional<OriginSearch::Origin> OriginSearch::find(std::int64_t steps) {
  const std::optional<std::int64_t> from = reload();
  if (!from) return std::nullopt;
  std::optional<Origin> first;  // of those in a row that are not finite
  for (std::int64_t step = *from; step < steps; ++step) {
    const std::optional<StepOutcome> outcome = repeat(step);
    if (!outcome) return std::nullopt;
    if (outcome->is_finite())
      first.reset();
    else if (!first)
      first = Origin{step, *outcome};
    if (first && plan_.on_nan == OnNan::stop) return first;
  }
  return first && steps - first->step >= most_skipped ? first : std::nullopt;
}

/// How many steps have been made where the run begins again. Absent: it cannot.
std::optional<std::int64_t> OriginSearch::reload() {
  const Result<TrainState> good = hooks_.reload ? hooks_.reload() : begin_again();
  if (!net::agreed(engine_.network(), good ? Status() : Status(good.error()))) return std::nullopt;
  return good->steps;
}

Result<TrainState> OriginSearch::begin_again() {
  if (hooks_.resume) return hooks_.resume();
  if (const Status initialised = initialise(engine_, plan_.initial); !initialised)
    return initialised.error();
  return TrainState{};
}

bool OriginSearch::feed(std::int64_t step) {
  const bool fed = bool{feeder_.train(step, feeds_)};
  return !engine_.any(!fed || InterruptGuard::signal() != 0);
}

/// Absent: it cannot be fed, or a signal has come.
std::optional<StepOutcome> OriginSearch::repeat(std::int64_t step) {
  if (!feed(step)) return std::nullopt;
  if (plan_.on_nan == OnNan::skip) snapshot_.take(engine_);
  fetched_.clear();
  step_.run(engine_, feeds_, fetched_);
  const StepOutcome outcome = outcome_of_step(engine_, fetched_);
  if (plan_.on_nan == OnNan::skip && !outcome.is_finite()) snapshot_.restore(engine_);
  return outcome;
}

void OriginSearch::show(std::int64_t bad) {
  const std::optional<std::int64_t> from = reload();
  if (!from) return;
  for (std::int64_t step = *from; step < bad; ++step)
    if (!repeat(step)) return;
  if (!feed(bad)) return;
  advice_ = hooks_.before_bad([&](Engine& engine) {
    fetched_.clear();
    step_.run(engine, feeds_, fetched_);
  });
}

}  // namespace mtfc::runtime
