// One evaluation: the sums over all batches of the split, divided at the end. What is padding in
// the last batch is masked by the program itself, so the batch size does not matter.
#pragma once
#include <cstdint>
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

}  // namespace mtfc::runtime
