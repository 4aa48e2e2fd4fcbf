// What a pipeline computes once a step beside its passes, as norms and updates: parts of programs,
// which wait for their stages and for what other stages send them.
#pragma once
#include <array>
#include <vector>

#include "plan/price/compile.h"

namespace mtfc::plan {

constexpr int most_once_programs = 3, most_once_parts = 5;  // of a step; of a stage in a program
/// Seconds of a stage's parts, the programs of a step one after the other.
using OnceSeconds = std::array<double, most_once_programs * most_once_parts>;

/// What a part waits for. `from_part`: none of a pass, whose values are there when the parts begin.
struct OnceSend {
  int from = 0, from_part = -1, to = 0, to_part = 0;
  double time = 0;
};

/// Where each part of a step counts in OnceSeconds: by number of the part, -1 of passes and of what
/// is no part of a step. What is beyond the most counts as the last.
std::vector<int> once_parts(const CompiledPipeline& made);

/// Seconds of all programs, each of which begins when the one before has ended. `stages`: of each.
double once_span(const std::vector<OnceSeconds>& stages, const std::vector<OnceSend>& sends);

}  // namespace mtfc::plan
