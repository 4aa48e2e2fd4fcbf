// Which examples a training step takes: a fresh permutation every epoch, the incomplete last batch
// of an epoch dropped.
#pragma once
#include <cstdint>
#include <vector>

namespace mtfc::runtime {

class TrainingOrder {
 public:
  TrainingOrder(std::int64_t seed, std::int64_t examples) : seed_(seed), examples_(examples) {}
  /// The i-th example of the batch of `step`. There must be at least one whole batch.
  std::int64_t example(std::int64_t step, std::int64_t batch, std::int64_t i);

 private:
  std::int64_t seed_, examples_;
  std::int64_t epoch_ = -1;
  std::vector<std::int64_t> permutation_;  // of epoch_
};

}  // namespace mtfc::runtime
