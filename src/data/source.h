// A data source: where a model's inputs come from, example by example.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "data/data_plan.h"
#include "data/text/tokenizer.h"
#include "support/host_tensor.h"
#include "support/result.h"
#include "support/spread.h"

namespace mtfc::runtime {

/// Which examples a batch takes: batch number `number` (the step, in training) of `size` examples.
struct BatchIndex {
  Split split = Split::train;
  std::int64_t number = 0;
  std::int64_t size = 1;
};

class Source {
 public:
  virtual ~Source() = default;
  /// Whole examples in a split; `endless` for sources that draw fresh ones.
  static constexpr std::int64_t endless = -1;
  virtual std::int64_t examples(Split split) const = 0;
  /// Whether the input's field, type, record and ids fit. Asked once for every input, before any
  /// `fill`; windows take their length from it.
  virtual Status accept(const InputSpec& input) = 0;
  /// Whether there is a batch to train on, if that is the split. Asked for every input when all were
  /// accepted.
  virtual Status ready(const InputSpec&, Split) const { return {}; }
  /// Why a split that was meant for evaluation gives nothing to evaluate; empty: it does. Asked
  /// when all inputs were accepted.
  virtual std::string too_little_to_evaluate() const { return {}; }
  /// Fills `out` with a part of the batch; it has the input's type and the part's extents. All
  /// inputs of a source get the same examples for the same place, whatever the parts are; past the
  /// end of the eval split the rows are zero. Nothing is read of what lies outside the part.
  virtual Status fill(const InputSpec& input, const BatchIndex& batch, const Block& part,
                      HostTensor& out) = 0;
  /// Between text and the ids of this source; null for sources that are no text, or ids only.
  virtual Tokenizer* tokenizer() { return nullptr; }
  /// From now on `fill` has these threads.
  void spread_by(Spread spread) { spread_ = std::move(spread); }

 protected:
  const Spread& spread() const { return spread_; }

 private:
  Spread spread_ = on_this_thread;
};

/// Opens what the spec names. `seed` is the run's: it orders training examples.
Result<std::unique_ptr<Source>> open_source(const SourceSpec& spec, std::int64_t seed);

}  // namespace mtfc::runtime
