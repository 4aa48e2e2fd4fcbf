// The stages of a pipeline as a table of the emitted program (train/emitted/emitted_stages.h).
#pragma once
#include <string>

#include "pipeline/pipeline_module.h"

namespace mtfc::backends {

/// "stage_0": the namespace of a stage's module.
std::string stage_space(std::size_t stage);
/// After the modules of the stages.
std::string stages_text(const PipelineModule& pipeline);

}  // namespace mtfc::backends
