#include "pipeline/step_order.h"

#include <algorithm>

#include "pipeline/schedule.h"
#include "support/check.h"

namespace mtfc::pipeline {
namespace {

bool has_passes(const PipelineModule& module, const std::vector<int>& parts) {
  return std::any_of(parts.begin(), parts.end(), [&](int part) {
    return module.cut.parts[static_cast<std::size_t>(part)].pass != StagePart::Pass::other;
  });
}

/// Of one task; null: it has nothing to compute.
const StagePart* find_part(const PipelineModule& module, const std::vector<int>& parts,
                           const StageTask& task) {
  const auto pass = task.task.backward ? StagePart::Pass::backward : StagePart::Pass::forward;
  for (const int number : parts) {
    const StagePart& part = module.cut.parts[static_cast<std::size_t>(number)];
    if (part.stage == task.stage && part.chunk == task.task.chunk && part.pass == pass)
      return &part;
  }
  return nullptr;
}

}  // namespace

std::vector<StepProgram> step_order(const PipelineModule& module) {
  std::vector<StepProgram> all;
  for (const StepProgram& whole : module.step) {
    const std::vector<int> parts = module.parts_of(whole.program);
    if (!has_passes(module, parts)) {
      all.push_back(whole);
      continue;
    }
    MTFC_CHECK(whole.microbatches == module.shape.microbatches, "a step of other micro-batches");
    for (const StageTask& task : sequence(module.shape))
      if (const StagePart* part = find_part(module, parts, task))
        all.push_back({part->name, whole.microbatches, task.task.microbatch});
  }
  return all;
}

}  // namespace mtfc::pipeline
