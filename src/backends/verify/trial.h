// A layout against one processor: the same sections on two engines, each from the same variables.
#pragma once
#include "backends/verify/compare.h"

namespace mtfc::backends {

/// One of the two: an engine, and how it runs a step.
struct Side {
  runtime::Engine& engine;
  const runtime::TrainPlan& plan;
};

/// The largest differences of every name between `split` and `whole`, which is right and is run by
/// each rank alone. Sections begin with the variables of `whole`, so that a difference is never one
/// that an earlier section has left. `unit`: by how much both round; that of f64 says that they
/// take all data in it. Where they are farther apart than some roundings, a disturbed run tells
/// what is allowed.
runtime::Result<std::vector<Difference>> run_trial(const Side& split, const Side& whole,
                                                   const Sections& sections, double unit);

}  // namespace mtfc::backends
