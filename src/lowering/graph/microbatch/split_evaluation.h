// Evaluations of a model that trains on micro-batches: their batches may be as small.
#pragma once
#include "ir/model.h"

namespace mtfc::lowering {

/// Puts Model::eval on micro-batches and fills Model::evaluation, if the model has micro-batches
/// and no number changes by it: where all that is shown is made of means over all examples, which
/// are pooled over batches anyway, and nothing else depends on what examples stand together. Such a
/// micro-batch is of examples one after the other: a smaller batch.
void split_evaluation(Model& model);

}  // namespace mtfc::lowering
