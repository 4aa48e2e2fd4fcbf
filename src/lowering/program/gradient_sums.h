// Which values are gradients of parameters, and which sums over processors add them up.
#pragma once
#include <vector>

#include "ir/program.h"

namespace mtfc::lowering {

/// By instruction: an all_reduce or reduce_scatter of sums made by the backward pass whose results
/// are of use to the update alone, or handed out; what is moved or scaled on the way is still a
/// gradient. Of a bucket, all results.
std::vector<bool> gradient_sums(const Program& program);
/// Moved, viewed or added over processors, element by element.
bool passes_unchanged(const InstructionKind& kind);
/// The sum of an all-reduce or reduce-scatter.
bool is_gradient_sum(const Instruction& at);
/// By value: nothing but the update, what micro-batches add up, and the log needs it.
std::vector<bool> only_for_update(const Program& program);

}  // namespace mtfc::lowering
