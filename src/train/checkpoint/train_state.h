// Where a training run stands between two steps, beside its variables.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mtfc::runtime {

/// The order of the data and all random samples are functions of the seed and the number of the
/// step, so `steps` is the position in the data too.
struct TrainState {
  std::int64_t steps = 0;                               // done
  double loss = 0, eval_loss = 0;                       // the last ones
  bool evaluated = false;                               // ever
  bool evaluated_now = false;                           // since the last step
  std::vector<std::pair<std::string, double>> metrics;  // of the last evaluation
};

}  // namespace mtfc::runtime
