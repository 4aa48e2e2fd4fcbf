// Which of the layouts of a plan its tables show.
#pragma once
#include <vector>

#include "plan/price/pricing.h"
#include "plan/search/search.h"
#include "solve/clock.h"

namespace mtfc::cli {

/// The ten fastest that fit; of what takes and holds the same that with the fewest entries.
std::vector<const plan::Judged*> fastest_of(const plan::Plan& plan);
/// Six of the front of time and memory: the ends, and what lies evenly between.
std::vector<const plan::Judged*> shown_of(const std::vector<const plan::Judged*>& front);
/// The fastest of other kinds than the best that fit, of which one has stages if the best has none,
/// or none if it has some.
std::vector<const plan::Judged*> slower_kinds(const plan::Plan& plan);

/// Counts evaluations and first values of all that is shown, as of the best: a search leaves them
/// out where a step is slower. What does not fit with them is not shown as if it did. Ends early
/// when time is up.
void count_shown(plan::Plan& plan, plan::Pricer& pricer, double memory, const solve::Clock& clock);

}  // namespace mtfc::cli
