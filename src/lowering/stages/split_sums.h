// Gradients that several stages, or chunks of one, contribute to, as that of a tied embedding.
#pragma once
#include "ir/layout.h"
#include "ir/model.h"
#include "lowering/stages/slots.h"

namespace mtfc::lowering {

/// What is added to a variable on each micro-batch, and is a sum of what several chunks make: each
/// adds its own to a variable of its own, and `apply` adds these up. So it is sent, and held, once
/// per step, not once for each micro-batch. `plan`: of `accumulate`.
void split_sums(Graph& accumulate, Graph& apply, const SlotPlan& plan, Model& model,
                Assignment& assignment);

}  // namespace mtfc::lowering
