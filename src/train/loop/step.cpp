#include "train/loop/step.h"

#include <cstring>

#include "support/check.h"
#include "support/program_names.h"

namespace mtfc::runtime {
namespace {

/// Rows `part`, `part` + `parts`, ... of `whole`.
void copy_rows(const HostTensor& whole, std::int64_t part, std::int64_t parts, HostTensor& rows) {
  MTFC_CHECK(whole.extents[0] % parts == 0, "a batch is not divisible into its parts");
  if (rows.data.empty()) {
    std::vector<std::int64_t> extents = whole.extents;
    extents[0] /= parts;
    rows = HostTensor::zeros(whole.dtype, std::move(extents));
  }
  const std::size_t row = whole.data.size() / static_cast<std::size_t>(whole.extents[0]);
  for (std::int64_t i = 0; i < rows.extents[0]; ++i)
    std::memcpy(rows.data.data() + static_cast<std::size_t>(i) * row,
                whole.data.data() + static_cast<std::size_t>(i * parts + part) * row, row);
}

}  // namespace

void StepRunner::take_part(const Feeds& feeds, std::int64_t part, std::int64_t parts) {
  for (const auto& [name, tensor] : feeds) {
    if (tensor.extents.empty())
      part_feeds_[name] = tensor;
    else
      copy_rows(tensor, part, parts, part_feeds_[name]);
  }
  HostTensor& number = part_feeds_[feed_names::part];
  if (number.data.empty()) number = HostTensor::zeros(DType::i32, {});
  *number.as<std::int32_t>() = static_cast<std::int32_t>(part);
}

void StepRunner::run(Engine& engine, const Feeds& feeds, std::vector<Fetched>& fetched) {
  for (const StepProgram& step : programs_) {
    if (step.parts == 1) {
      engine.run(step.program, feeds, fetched);
      continue;
    }
    for (std::int64_t part = 0; part < step.parts; ++part) {
      take_part(feeds, part, step.parts);
      engine.run(step.program, part_feeds_, fetched);
    }
  }
}

Counters StepRunner::counters(const Engine& engine) const {
  Counters total;
  for (const StepProgram& step : programs_) {
    const Counters once = engine.counters(step.program);
    total.flops += once.flops * static_cast<double>(step.parts);
    for (std::int64_t part = 0; part < step.parts; ++part)
      total.collectives.insert(total.collectives.end(), once.collectives.begin(),
                               once.collectives.end());
  }
  return total;
}

}  // namespace mtfc::runtime
