// Which examples a batch takes. Training: a fresh permutation of the training split every epoch,
// the incomplete last batch of an epoch dropped. Evaluation: the file's order.
#pragma once
#include <cstdint>
#include <vector>

#include "data/source.h"

namespace mtfc::runtime {

class ExampleOrder {
 public:
  /// Examples 0 .. train - 1 are for training, train .. train + eval - 1 for evaluation.
  ExampleOrder(std::int64_t seed, std::int64_t train, std::int64_t eval)
      : seed_(seed), train_(train), eval_(eval) {}

  std::int64_t examples(Split split) const { return split == Split::train ? train_ : eval_; }
  /// The i-th example of a batch; -1 past the end of the eval split. There must be at least one
  /// whole batch to train on.
  std::int64_t example(const BatchIndex& batch, std::int64_t i);

 private:
  std::int64_t seed_, train_, eval_;
  std::int64_t epoch_ = -1;
  std::vector<std::int64_t> permutation_;  // of epoch_
};

}  // namespace mtfc::runtime
