// What all processors of a layout do together: layouts with stages have processors that do
// different things, and are compared by this.
#pragma once
#include "cost/pipeline_cost.h"

namespace mtfc::cost {

/// As one Cost: its work, memory, lines and what is alive at the peaks are sums over all processors
/// of all stages. Its collectives are those of one processor of each stage, and, of the kind
/// `send`, what a processor sends to another stage: one for each pass.
Cost of_all_processors(const PipelineModule& module, const PipelineCost& cost);
/// The same without stages.
Cost of_all_processors(const Cost& cost);

}  // namespace mtfc::cost
