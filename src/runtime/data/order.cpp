#include "runtime/data/order.h"

#include "runtime/random.h"

namespace mtfc::runtime {

std::int64_t TrainingOrder::example(std::int64_t step, std::int64_t batch, std::int64_t i) {
  const std::int64_t batches = examples_ / batch;
  const std::int64_t epoch = step / batches;
  if (epoch != epoch_) {
    permutation_ = permutation(static_cast<std::uint64_t>(seed_), epoch, examples_);
    epoch_ = epoch;
  }
  return permutation_[static_cast<std::size_t>(step % batches * batch + i)];
}

}  // namespace mtfc::runtime
