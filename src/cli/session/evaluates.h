// Whether a run of the model evaluates, as far as its text says it: no data is opened.
#pragma once
#include "ir/model.h"

namespace mtfc::cli {

/// False where nothing is minimised, or where some input's source has nothing for evaluations:
/// `holdout=0`, `eval_count=0`. Files may turn out to have too little.
bool evaluates(const Model& model);

}  // namespace mtfc::cli
