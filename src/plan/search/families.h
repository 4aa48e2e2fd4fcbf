// The sets of general rules that a search looks at: all that are legal or, where there are too many
// to hold, those that an estimate takes for the fastest.
#pragma once
#include <vector>

#include "plan/space/starts.h"
#include "plan/search/time_budget.h"

namespace mtfc::plan {

struct Families {
  std::vector<Choice> bases;  // general rules alone, those with fewer first
  /// Of each mesh on which not all sets of rules are there: the mesh, without rules.
  std::vector<Choice> cut_short = {};
};

/// `worth` is asked where a mesh has too many; then as long as there is time.
Families families_of(const Space& space, const DimTable& dims, const WorthOf& worth,
                     const TimeBudget& time);

}  // namespace mtfc::plan
