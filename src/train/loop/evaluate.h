// One evaluation: the sums over all batches of the split, divided at the end. What is padding in
// the last batch is masked by the program itself, so the batch size does not matter.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/feeder.h"
#include "train/engine.h"

namespace mtfc::runtime {

/// Whether the engine has programs for it and the sources data.
bool can_evaluate(const Engine& engine, const Feeder& feeder);

struct Evaluation {
  Status status;
  bool interrupted = false;      // by a signal (interrupt.h); the values are missing
  std::vector<Fetched> fetched;  // losses and metrics
};
/// Called by all ranks.
Evaluation evaluate(Engine& engine, Feeder& feeder);

/// The first input of an evaluation that is infinite or not a number, in a sentence with what to do
/// about it; absent: all are finite, or cannot be read. The same on all ranks, which call it.
std::optional<std::string> not_finite_input_of_evaluation(Engine& engine, Feeder& feeder);

}  // namespace mtfc::runtime
