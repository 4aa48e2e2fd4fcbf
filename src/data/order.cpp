#include "data/order.h"

#include "kernels/random.h"

namespace mtfc::runtime {

std::int64_t ExampleOrder::example(const BatchIndex& batch, std::int64_t i) {
  if (batch.split == Split::eval) {
    const std::int64_t number = batch.number * batch.size + i;
    return number < eval_ ? train_ + number : -1;
  }
  const std::int64_t batches = train_ / batch.size;
  const std::int64_t epoch = batch.number / batches;
  if (epoch != epoch_) {
    permutation_ = permutation(static_cast<std::uint64_t>(seed_), epoch, train_);
    epoch_ = epoch;
  }
  return permutation_[static_cast<std::size_t>(batch.number % batches * batch.size + i)];
}

}  // namespace mtfc::runtime
