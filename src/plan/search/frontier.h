// Layouts of a plan that no other one beats in both time and memory.
#pragma once
#include <vector>

#include "plan/search/search.h"

namespace mtfc::plan {

/// Of those predicted, whether they fit or not; the fastest first.
std::vector<const Judged*> frontier(const Plan& plan);

}  // namespace mtfc::plan
