#include "runtime/loop/evaluate.h"

#include "runtime/loop/interrupt.h"

namespace mtfc::runtime {

bool can_evaluate(const Engine& engine, const Feeder& feeder) {
  return engine.has_program("eval") && feeder.eval_batches() > 0;
}

Evaluation evaluate(Engine& engine, Feeder& feeder) {
  Evaluation result;
  Feeds feeds;
  std::vector<Fetched> none;
  engine.run("eval_begin", {}, none);
  const std::int64_t batches = feeder.eval_batches();
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    result.interrupted = engine.any(InterruptGuard::signal() != 0);
    if (result.interrupted) return result;
    result.status = feeder.eval(batch, feeds);
    if (!result.status) return result;
    engine.run("eval", feeds, none);
  }
  engine.run("eval_finish", {}, result.fetched);
  return result;
}

}  // namespace mtfc::runtime
