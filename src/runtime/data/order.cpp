#include "runtime/data/order.h"

#include <numeric>
#include <utility>

#include "runtime/data/draws.h"

namespace mtfc::runtime {
namespace {

std::vector<std::int64_t> permutation(std::int64_t seed, std::int64_t epoch, std::int64_t count) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  const Draws draws(seed, "data.order");
  for (std::int64_t last = count - 1; last > 0; --last) {
    const std::int64_t other = draws.integer(epoch, last, last + 1);
    std::swap(order[static_cast<std::size_t>(last)], order[static_cast<std::size_t>(other)]);
  }
  return order;
}

}  // namespace

std::int64_t TrainingOrder::example(std::int64_t step, std::int64_t batch, std::int64_t i) {
  const std::int64_t batches = examples_ / batch;
  const std::int64_t epoch = step / batches;
  if (epoch != epoch_) {
    permutation_ = permutation(seed_, epoch, examples_);
    epoch_ = epoch;
  }
  return permutation_[static_cast<std::size_t>(step % batches * batch + i)];
}

}  // namespace mtfc::runtime
