#include "train/loop/evaluate.h"

#include "comm/gather_bytes.h"
#include "support/last_words.h"
#include "support/program_names.h"
#include "train/loop/finite.h"
#include "train/loop/interrupt.h"

namespace mtfc::runtime {

bool can_evaluate(const Engine& engine, const Feeder& feeder) {
  return engine.has_program(program_names::eval) && feeder.eval_batches() > 0;
}

namespace {

Evaluation run_evaluation(Engine& engine, Feeder& feeder) {
  Evaluation result;
  Feeds feeds;
  std::vector<Fetched> none;
  engine.run(program_names::eval_begin, {}, none);
  const std::int64_t batches = feeder.eval_batches();
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    const Status fed = feeder.eval(batch, feeds);
    const std::int64_t all = engine.network().highest(!fed                            ? 2
                                                      : InterruptGuard::signal() != 0 ? 1
                                                                                      : 0);
    result.interrupted = all == 1;
    if (all == 2) result.status = net::agreed(engine.network(), fed);
    if (all != 0) return result;
    engine.run(program_names::eval, feeds, none);
  }
  engine.run(program_names::eval_finish, feeds, result.fetched);  // the step may be asked for
  return result;
}

}  // namespace

Evaluation evaluate(Engine& engine, Feeder& feeder) {
  note_use_of_memory("an evaluation");
  Evaluation result = run_evaluation(engine, feeder);
  note_use_of_memory(nullptr);
  return result;
}

std::optional<std::string> not_finite_input_of_evaluation(Engine& engine, Feeder& feeder) {
  Feeds feeds;
  const std::int64_t batches = feeder.eval_batches();
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    const bool fed = bool{feeder.eval(batch, feeds)};
    if (engine.any(!fed || InterruptGuard::signal() != 0)) return std::nullopt;
    if (const auto input = find_not_finite_input(feeds, engine.network()))
      return *input + " in the evaluation: see what its source reads";
  }
  return std::nullopt;
}

}  // namespace mtfc::runtime
