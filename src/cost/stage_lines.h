// Lines of the model in a pipeline: what they make in its stages, and which stages have them.
#pragma once
#include <map>
#include <vector>

#include "cost/line_shards.h"
#include "pipeline/pipeline_module.h"

namespace mtfc::cost {

/// As of one module, of the instances in all stages; of what several stages make under one name,
/// the first, or on meshes of their own one of each form. What crosses is not there, but where it
/// is made.
std::vector<LineShard> line_shards(const PipelineModule& module, const Assignment& assignment,
                                   const SourceMap& sources);

/// The stages that run something of a line in a training step, ascending.
using LineStages = std::map<std::string, std::vector<int>, std::less<>>;
LineStages line_stages(const PipelineModule& module, const SourceMap& sources);

}  // namespace mtfc::cost
