// Whether a run of the model evaluates, as far as its text says it: no data is opened.
#pragma once
#include "ir/model.h"

namespace mtfc::cost {

/// False where nothing is minimised, or where some input's source has nothing for evaluations:
/// `holdout=0`, `eval_count=0`. Files may turn out to have too little.
bool evaluates(const Model& model);
/// Whether it evaluates on more examples at once than a step takes: steps have micro-batches, and
/// evaluations cannot (lowering/graph/microbatch/split_evaluation.h).
bool evaluates_more_at_once(const Model& model);

}  // namespace mtfc::cost
