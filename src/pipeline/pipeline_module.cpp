#include "pipeline/pipeline_module.h"

#include <algorithm>

#include "support/check.h"

namespace mtfc {

MTFC_DEFINE_SPECIAL_MEMBERS(PipelineModule, noexcept);

std::string_view name(StagePart::Pass pass) {
  switch (pass) {
    case StagePart::Pass::forward:
      return "forward";
    case StagePart::Pass::backward:
      return "backward";
    case StagePart::Pass::other:
      break;
  }
  return "other";
}

const StagePart& StageCut::part(std::string_view name) const {
  const auto found = std::find_if(parts.begin(), parts.end(),
                                  [&](const StagePart& part) { return part.name == name; });
  MTFC_CHECK(found != parts.end(), "no part " + std::string(name));
  return *found;
}

bool PipelineModule::has_one_mesh() const {
  return std::all_of(stages.begin(), stages.end(),
                     [&](const Module& stage) { return stage.mesh == stages.front().mesh; });
}

std::vector<int> PipelineModule::parts_of(std::string_view program) const {
  std::vector<int> found;
  for (std::size_t i = 0; i < cut.parts.size(); ++i)
    if (cut.parts[i].program == program) found.push_back(static_cast<int>(i));
  return found;
}

}  // namespace mtfc
