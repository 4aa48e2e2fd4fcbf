#include "pipeline/pipeline_module.h"

namespace mtfc {

MTFC_DEFINE_SPECIAL_MEMBERS(PipelineModule, noexcept);

std::vector<int> PipelineModule::parts_of(std::string_view program) const {
  std::vector<int> found;
  for (std::size_t i = 0; i < cut.parts.size(); ++i)
    if (cut.parts[i].program == program) found.push_back(static_cast<int>(i));
  return found;
}

}  // namespace mtfc
