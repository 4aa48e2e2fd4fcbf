// The stages of a pipeline as a table of the emitted program (train/emitted/emitted_stages.h).
#pragma once
#include <string>

#include "pipeline/pipeline_module.h"

namespace mtfc::backends {

/// `whole`: the module of all stages' programs, variables and inputs.
std::string stages_text(const PipelineModule& pipeline, const Module& whole);

}  // namespace mtfc::backends
