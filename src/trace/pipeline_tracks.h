// The predicted passes of a pipeline's micro-batches, stage by stage.
#pragma once
#include "predict/predict_pipeline.h"
#include "trace/chrome_trace.h"

namespace mtfc::trace {

/// A process for each stage: its passes, which micro-batches are in flight, and at the end what
/// runs once a step.
void add_pipeline(ChromeTrace& trace, const predict::PipelinePrediction& prediction, int stages);

}  // namespace mtfc::trace
