// Plans for several numbers of processors side by side.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "plan/search/search.h"

namespace mtfc::cli {

struct PlannedMachine {
  std::int64_t processors = 1;
  plan::Space space;
  plan::Plan plan;
};

/// The one with the fastest layout that fits; if none fits, the largest.
PlannedMachine& fastest(std::vector<PlannedMachine>& machines);

/// A row for each, and the smallest on which the model fits.
std::string machines_text(const std::vector<PlannedMachine>& machines);
std::string machines_json(const std::vector<PlannedMachine>& machines);

}  // namespace mtfc::cli
