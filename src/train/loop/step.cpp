#include "train/loop/step.h"

#include <cstring>

#include "support/check.h"
#include "support/last_words.h"
#include "support/program_names.h"

namespace mtfc::runtime {
namespace {

/// Rows m, m + count, ... of the batch.
void copy_rows(const HostTensor& batch, std::int64_t m, std::int64_t count, HostTensor& rows) {
  MTFC_CHECK(batch.extents[0] % count == 0, "a batch is not divisible by its micro-batches");
  if (rows.data.empty()) {
    std::vector<std::int64_t> extents = batch.extents;
    extents[0] /= count;
    rows = HostTensor::zeros(batch.dtype, std::move(extents));
  }
  if (batch.data.empty()) return;
  const std::size_t row = batch.data.size() / static_cast<std::size_t>(batch.extents[0]);
  for (std::int64_t i = 0; i < rows.extents[0]; ++i)
    std::memcpy(rows.data.data() + static_cast<std::size_t>(i) * row,
                batch.data.data() + static_cast<std::size_t>(i * count + m) * row, row);
}

/// The micro-batches that it runs for.
std::int64_t first(const StepProgram& step) { return step.only < 0 ? 0 : step.only; }
std::int64_t end(const StepProgram& step) {
  return step.only < 0 ? step.microbatches : step.only + 1;
}

}  // namespace

void StepRunner::take_microbatch(const Feeds& feeds, std::int64_t m, std::int64_t count) {
  for (const auto& [name, tensor] : feeds) {
    if (tensor.extents.empty())
      microbatch_feeds_[name] = tensor;
    else
      copy_rows(tensor, m, count, microbatch_feeds_[name]);
  }
  set_scalar(microbatch_feeds_, feed_names::microbatch, m);
}

void StepRunner::run(Engine& engine, const Feeds& feeds, std::vector<Fetched>& fetched) {
  note_use_of_memory("a training step");
  for (const StepProgram& step : programs_) {
    if (step.microbatches == 1) {
      engine.run(step.program, feeds, fetched);
      continue;
    }
    for (std::int64_t m = first(step); m < end(step); ++m) {
      take_microbatch(feeds, m, step.microbatches);
      engine.run(step.program, microbatch_feeds_, fetched);
    }
  }
  note_use_of_memory(nullptr);
}

Counters StepRunner::counters(const Engine& engine) const {
  Counters total;
  for (const StepProgram& step : programs_) {
    const Counters once = engine.counters(step.program);
    for (std::int64_t m = first(step); m < end(step); ++m) total += once;
  }
  return total;
}

}  // namespace mtfc::runtime
